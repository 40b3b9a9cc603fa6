"""What every picture must keep: texts that can be read."""

__all__ = ["check_boxes"]


def check_boxes(figure, boxes):
    """Boxes of texts lie inside of the picture, and none on another; legends are added."""
    boxes = [*boxes, *(legend.get_window_extent() for legend in figure.legends)]
    for k, box in enumerate(boxes):
        assert box.x0 >= -1
        assert box.y0 >= -1
        assert box.x1 <= figure.bbox.x1 + 1
        assert box.y1 <= figure.bbox.y1 + 1
        assert not any(box.overlaps(other) for other in boxes[:k])
