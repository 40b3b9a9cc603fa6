#include "turns.hpp"

#include <structmember.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "bindings.hpp"

namespace nb = nanobind;

namespace regretless {

namespace {

// For tests that order the calls of several threads: the turns on one object are counted. While an
// object is watched the list of turns is never empty, so no call takes a short cut.
const void* watched = nullptr;
std::uint64_t count = 0;
thread_local std::uint64_t latest = 0;  // the number of the last turn that this thread took

std::string message(Subject s) {
  const char* name = s.name ? s.name : Py_TYPE(static_cast<const PyObject*>(s.object))->tp_name;
  return std::string(name) +
         " is in use by another thread; give each thread its own, or use a lock";
}

}  // namespace

namespace turns {

Answer ask(const void* object, unsigned long thread) {
  for (const Taken& each : all)
    if (each.object == object) return each.thread == thread ? Answer::nested : Answer::refused;
  if (object == watched) latest = ++count;
  return Answer::taken;
}
Answer take(const void* object) {
  const unsigned long thread = PyThread_get_thread_ident();
  const Answer answer = ask(object, thread);
  if (answer == Answer::taken) all.push_back({object, thread});
  return answer;
}
void give_back(const void* object) {
  std::size_t i = all.size() - 1;
  while (all[i].object != object) --i;
  all[i] = all.back();
  all.pop_back();
}
void check(Subject subject) {
  if (ask(subject.object, PyThread_get_thread_ident()) == Answer::refused) refuse(subject);
}
void refuse(Subject subject) { throw std::runtime_error(message(subject)); }

void watch(nb::handle object) {
  watched = object.is_none() ? nullptr : object.ptr();
  std::erase_if(all, [](const Taken& each) { return !each.object; });
  if (watched) all.push_back({nullptr, 0});
}

}  // namespace turns

namespace {

using namespace turns;

// --- methods in Python ---------------------------------------------------------------------------

// Whether an argument is an Arrow array, or a pandas series that may hold one. Printing, comparing
// or converting a damaged Arrow array may end the process, so it is checked before any other code
// sees it.
bool is_arrow(PyObject* value) {
  PyTypeObject* const type = Py_TYPE(value);
  if (PyFloat_CheckExact(value) || PyLong_CheckExact(value) || PyUnicode_CheckExact(value) ||
      PyBool_Check(value) || value == Py_None || !std::strcmp(type->tp_name, "numpy.ndarray"))
    return false;
  if (!std::strncmp(type->tp_name, "pyarrow.", 8)) return true;
  const nb::object module =
      nb::getattr(nb::handle(reinterpret_cast<PyObject*>(type)), "__module__", nb::none());
  return PyUnicode_Check(module.ptr()) &&
         PyUnicode_Tailmatch(module.ptr(), nb::str("pandas.").ptr(), 0, 7, -1) == 1;
}
// The arguments of a call: `given` by position, the others by name.
struct Arguments {
  PyObject* function;
  PyObject* const* all;
  std::size_t given;
  PyObject* names;

  std::size_t size() const { return given + std::size_t(names ? PyTuple_GET_SIZE(names) : 0); }
  nb::object name(std::size_t i) const {
    if (i >= given) return nb::borrow(PyTuple_GET_ITEM(names, Py_ssize_t(i - given)));
    const nb::object known = nb::handle(function).attr("__code__").attr("co_varnames");
    return i < nb::len(known) ? nb::object(known[i]) : nb::object(nb::str("an argument"));
  }
  // Sets a Python error instead of throwing.
  bool is_sound(std::size_t i, PyObject* value) const {
    if (!is_arrow(value)) return true;
    try {
      nb::module_::import_("regretless.base.arguments").attr("sound")(nb::handle(value), name(i));
      return true;
    } catch (nb::python_error& error) {
      error.restore();
      return false;
    }
  }
  // Looks into lists, tuples and dicts, one level deep.
  bool is_sound(std::size_t i) const {
    PyObject *const value = all[i], *key, *item;
    bool sound = true;
    if (PyList_CheckExact(value) || PyTuple_CheckExact(value)) {
      for (Py_ssize_t k = 0; sound && k < PySequence_Fast_GET_SIZE(value); ++k)
        sound = is_sound(i, PySequence_Fast_GET_ITEM(value, k));
    } else if (PyDict_CheckExact(value)) {
      for (Py_ssize_t at = 0; sound && PyDict_Next(value, &at, &key, &item);)
        sound = is_sound(i, item);
    } else {
      sound = is_sound(i, value);
    }
    return sound;
  }
  bool are_sound() const {
    std::size_t i = 1;
    while (i < size() && is_sound(i)) ++i;
    return i >= size();
  }
};

// A method: a function whose calls take a turn on their first argument.
struct Guarded {
  PyObject_HEAD PyObject* function;
  vectorcallfunc call;
};

PyObject* function_of(PyObject* self) { return reinterpret_cast<Guarded*>(self)->function; }

PyObject* call(PyObject* self, PyObject* const* args, std::size_t flags, PyObject* names) {
  PyObject* const function = function_of(self);
  if (PyVectorcall_NARGS(flags) == 0) return PyObject_Vectorcall(function, args, flags, names);
  PyObject* const object = args[0];
  switch (take(object)) {
    case Answer::refused:
      PyErr_SetString(PyExc_RuntimeError, message({object, nullptr}).c_str());
      return nullptr;
    case Answer::nested:
      return PyObject_Vectorcall(function, args, flags, names);
    default:
      break;
  }
  const Arguments given{function, args, std::size_t(PyVectorcall_NARGS(flags)), names};
  PyObject* const result =
      given.are_sound() ? PyObject_Vectorcall(function, args, flags, names) : nullptr;
  give_back(object);
  return result;
}

PyObject* make(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject* function = nullptr;
  if (!PyArg_ParseTuple(args, "O:Guarded", &function)) return nullptr;
  PyObject* const self = type->tp_alloc(type, 0);
  if (!self) return nullptr;
  auto* const made = reinterpret_cast<Guarded*>(self);
  made->function = Py_NewRef(function);
  made->call = call;
  return self;
}
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(function_of(self));
  Py_VISIT(Py_TYPE(self));
  return 0;
}
int clear(PyObject* self) {
  Py_CLEAR(reinterpret_cast<Guarded*>(self)->function);
  return 0;
}
void destroy(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clear(self);
  type->tp_free(self);
  Py_DECREF(type);
}
PyObject* bound(PyObject* self, PyObject* object, PyObject*) {
  return object && object != Py_None ? PyMethod_New(self, object) : Py_NewRef(self);
}
// Name, docstring, signature and all other attributes are those of the function.
PyObject* attribute(PyObject* self, PyObject* name) {
  for (const char* own : {"__class__", "__wrapped__", "__reduce__", "__reduce_ex__"})
    if (PyUnicode_CompareWithASCIIString(name, own) == 0)
      return PyObject_GenericGetAttr(self, name);
  return PyObject_GetAttr(function_of(self), name);
}
PyObject* reduced(PyObject* self, PyObject*) {
  return Py_BuildValue("O(O)", Py_TYPE(self), function_of(self));
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Guarded, call), READONLY, nullptr},
    {"__wrapped__", T_OBJECT, offsetof(Guarded, function), READONLY, nullptr},
    {}};
PyMethodDef methods[] = {{"__reduce__", reduced, METH_NOARGS, nullptr}, {}};
PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(make)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
                       {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                       {Py_tp_clear, reinterpret_cast<void*>(clear)},
                       {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                       {Py_tp_descr_get, reinterpret_cast<void*>(bound)},
                       {Py_tp_getattro, reinterpret_cast<void*>(attribute)},
                       {Py_tp_members, members},
                       {Py_tp_methods, methods},
                       {}};
PyType_Spec spec = {"regretless._core.Guarded", sizeof(Guarded), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                        Py_TPFLAGS_METHOD_DESCRIPTOR,
                    slots};

// --- attributes in Python ------------------------------------------------------------------------

// An attribute that calls change. It is in the object's dictionary, and only a thread that could
// call a method may read it.
struct Attribute {
  PyObject_HEAD PyObject* name;
};

PyObject* name_of(PyObject* self) { return reinterpret_cast<Attribute*>(self)->name; }

bool is_refused(PyObject* object) {
  if (all.empty() || ask(object, PyThread_get_thread_ident()) != Answer::refused) return false;
  PyErr_SetString(PyExc_RuntimeError, message({object, nullptr}).c_str());
  return true;
}
PyObject* make_attribute(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject* name = nullptr;
  if (!PyArg_ParseTuple(args, "U:Changing", &name)) return nullptr;
  PyObject* const self = type->tp_alloc(type, 0);
  if (self) reinterpret_cast<Attribute*>(self)->name = Py_NewRef(name);
  return self;
}
void destroy_attribute(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  Py_DECREF(name_of(self));
  type->tp_free(self);
  Py_DECREF(type);
}
PyObject* get_attribute(PyObject* self, PyObject* object, PyObject*) {
  if (!object || object == Py_None) return Py_NewRef(self);
  if (is_refused(object)) return nullptr;
  const nb::object all = nb::steal(PyObject_GenericGetDict(object, nullptr));
  if (!all.is_valid()) return nullptr;
  PyObject* const found = PyDict_GetItemWithError(all.ptr(), name_of(self));
  if (!found && !PyErr_Occurred())
    PyErr_Format(PyExc_AttributeError, "'%s' object has no attribute %R", Py_TYPE(object)->tp_name,
                 name_of(self));
  return Py_XNewRef(found);
}
int set_attribute(PyObject* self, PyObject* object, PyObject* value) {
  if (is_refused(object)) return -1;
  const nb::object all = nb::steal(PyObject_GenericGetDict(object, nullptr));
  if (!all.is_valid()) return -1;
  return value ? PyDict_SetItem(all.ptr(), name_of(self), value)
               : PyDict_DelItem(all.ptr(), name_of(self));
}

PyType_Slot attribute_slots[] = {{Py_tp_new, reinterpret_cast<void*>(make_attribute)},
                                 {Py_tp_dealloc, reinterpret_cast<void*>(destroy_attribute)},
                                 {Py_tp_descr_get, reinterpret_cast<void*>(get_attribute)},
                                 {Py_tp_descr_set, reinterpret_cast<void*>(set_attribute)},
                                 {}};
PyType_Spec attribute_spec = {"regretless._core.Changing", sizeof(Attribute), 0, Py_TPFLAGS_DEFAULT,
                              attribute_slots};

}  // namespace

void bind_turns(nb::module_& m) {
  m.attr("Guarded") = nb::steal(PyType_FromSpec(&spec));
  m.attr("Changing") = nb::steal(PyType_FromSpec(&attribute_spec));
  m.def("watch_turns", &watch, nb::arg("object").none(),
        "Count the turns on an object, for tests.");
  m.def("latest_turn", [] { return latest; }, "The number of the last turn that this thread took.");
}

}  // namespace regretless
