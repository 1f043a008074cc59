"""An FMU for co-simulation (FMI 1.0, 2.0, 3.0) by the functions of its library alone: what surveys compare Ergon with.

It knows nothing of Ergon. Callers are processes of their own and leave by os._exit: what an FMU does at its end is not looked at.
"""
import ctypes
import os
import xml.etree.ElementTree
import zipfile

OK, WARNING, DISCARD = 0, 1, 2

KINDS_2 = ("Real", "Integer", "Boolean", "Enumeration", "String")
C_TYPES = {"Real": ctypes.c_double, "Integer": ctypes.c_int, "Boolean": ctypes.c_int, "String": ctypes.c_char_p,
           "Float64": ctypes.c_double, "Float32": ctypes.c_float, "Int8": ctypes.c_int8, "UInt8": ctypes.c_uint8,
           "Int16": ctypes.c_int16, "UInt16": ctypes.c_uint16, "Int32": ctypes.c_int32, "UInt32": ctypes.c_uint32,
           "Int64": ctypes.c_int64, "UInt64": ctypes.c_uint64}
REALS = ("Real", "Float64", "Float32")


class Variable:
    def __init__(self, node, kind, call, c_type, causality, variability, items=None, size=1):
        self.reference, self.causality, self.variability, self.size = int(node.get("valueReference")), causality, variability, size
        self.call, self.c_type = call, c_type  # `call`: the type in the names of functions
        self.items = items or {}  # of an enumeration: values by name
        self.is_real, self.is_negated = kind in REALS, node.get("alias") == "negatedAlias"
        self.is_linear = self.is_real and causality == "input" and variability == "continuous"


def description(fmu):
    with zipfile.ZipFile(fmu) as archive:
        return xml.etree.ElementTree.fromstring(archive.read("modelDescription.xml"))


def version(root):
    return int(root.get("fmiVersion")[0])


def variables(root):
    """Name: variable, of all that are numbers or texts. Arrays of FMI 3 only where their size is written."""
    return dict(variables_3(root) if version(root) == 3 else variables_2(root))


def enumerations(root):
    """Items of each type by name; those of FMI 1.0 are counted from 1."""
    found = {}
    for node in root.find("TypeDefinitions") if root.find("TypeDefinitions") is not None else ():
        items = node.findall(".//Item")
        found[node.get("name")] = {item.get("name"): int(item.get("value", i + 1)) for i, item in enumerate(items)}
    return found


def variables_2(root):
    is_1, types = version(root) == 1, enumerations(root)
    for node in root.find("ModelVariables"):
        typed = next((child for child in node if child.tag in KINDS_2), None)
        if typed is None:
            continue
        kind = typed.tag
        variability = node.get("variability", "continuous" if is_1 or kind == "Real" else "discrete")
        is_parameter = is_1 and variability == "parameter"
        causality = "parameter" if is_parameter else node.get("causality", "internal" if is_1 else "local")
        call = "Integer" if kind == "Enumeration" else kind
        c_type = ctypes.c_byte if is_1 and kind == "Boolean" else C_TYPES[call]
        yield node.get("name"), Variable(node, kind, call, c_type, causality, variability, types.get(typed.get("declaredType")))


def variables_3(root):
    nodes, types = list(root.find("ModelVariables")), enumerations(root)
    starts = {node.get("valueReference"): node.get("start") for node in nodes}
    for node in nodes:
        kind = node.tag
        if kind not in C_TYPES and kind not in ("Boolean", "Enumeration"):
            continue
        size = 1
        for dimension in node.findall("Dimension"):
            size *= int(dimension.get("start") or starts[dimension.get("valueReference")])
        variability = node.get("variability", "continuous" if kind in REALS else "discrete")
        call = "Int64" if kind == "Enumeration" else kind
        c_type = ctypes.c_bool if kind == "Boolean" else C_TYPES[call]
        items = types.get(node.get("declaredType"))
        yield node.get("name"), Variable(node, kind, call, c_type, node.get("causality", "local"), variability, items, size)


LOGGER = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)
LOGGER_3 = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)


class Callbacks1(ctypes.Structure):
    _fields_ = [("logger", LOGGER), ("allocate", ctypes.c_void_p), ("free", ctypes.c_void_p), ("finished", ctypes.c_void_p)]


class Callbacks2(ctypes.Structure):
    _fields_ = Callbacks1._fields_ + [("environment", ctypes.c_void_p)]


class Group:
    """Variables of one type, as arguments of one call."""

    def __init__(self, call, c_type, names, known):
        self.call, self.names = call, names
        self.places = [(n, i) for n in names for i in range(known[n].size)]
        self.columns = [n if known[n].size == 1 else f"{n}[{i}]" for n, i in self.places]
        self.signs = [-1 if known[n].is_negated else 1 for n, _ in self.places]
        self.is_whole = c_type not in (ctypes.c_double, ctypes.c_float, ctypes.c_char_p)
        self.references = (ctypes.c_uint * len(names))(*(known[n].reference for n in names))
        self.values = (c_type * len(self.places))()


class PlainFmu:
    def __init__(self, fmu, folder, name="plain"):
        with zipfile.ZipFile(fmu) as archive:
            for entry in archive.infolist():
                entry.filename = entry.filename.replace("\\", "/")
                archive.extract(entry, folder)
        self.name, self.root = name, description(fmu)
        self.version, self.variables = version(self.root), variables(self.root)
        node = self.root if self.version == 1 else self.root.find("CoSimulation")
        identifier = node.get("modelIdentifier")
        self.prefix = {1: identifier + "_fmi", 2: "fmi2", 3: "fmi3"}[self.version]
        self.has_events = self.version == 3 and node.get("hasEventMode") == "true"
        self.is_over = False  # it has asked to end
        binaries = os.path.join(folder, "binaries", "x86_64-linux" if self.version == 3 else "linux64")
        self.library = ctypes.CDLL(os.path.join(binaries, identifier + ".so"))
        self.folder, self.next_event = os.path.abspath(folder), float("inf")
        make = getattr(self, f"instantiate_{self.version}")
        self.component = ctypes.c_void_p(make(getattr(self.library, self.prefix + {
            1: "InstantiateSlave", 2: "Instantiate", 3: "InstantiateCoSimulation"}[self.version])))
        if not self.component:
            raise RuntimeError("cannot be instantiated")

    def functions(self):
        libc = ctypes.CDLL(None)
        return [LOGGER(lambda *_: None), ctypes.cast(libc.calloc, ctypes.c_void_p), ctypes.cast(libc.free, ctypes.c_void_p), None]

    def instantiate_1(self, make):
        self.callbacks = Callbacks1(*self.functions())
        make.argtypes = [ctypes.c_char_p] * 4 + [ctypes.c_double, ctypes.c_char, ctypes.c_char, Callbacks1, ctypes.c_char]
        make.restype = ctypes.c_void_p
        return make(self.name.encode(), self.root.get("guid").encode(), ("file://" + self.folder).encode(),
                    b"application/x-fmu-sharedlibrary", 0.0, b"\0", b"\0", self.callbacks, b"\0")

    def instantiate_2(self, make):
        self.callbacks = Callbacks2(*self.functions(), None)
        make.restype = ctypes.c_void_p
        resources = "file://" + self.folder + "/resources"
        return make(self.name.encode(), 1, self.root.get("guid").encode(), resources.encode(), ctypes.byref(self.callbacks), 0, 0)

    def instantiate_3(self, make):
        self.callbacks = LOGGER_3(lambda *_: None)
        make.restype = ctypes.c_void_p
        no, with_events = ctypes.c_bool(False), ctypes.c_bool(self.has_events)
        made = make(self.name.encode(), self.root.get("instantiationToken").encode(), (self.folder + "/resources/").encode(), no, no,
                    with_events, with_events, None, ctypes.c_size_t(0), None, self.callbacks, None)
        if made or not self.has_events:
            return made
        self.has_events = False  # it declares event mode and refuses it
        return self.instantiate_3(make)

    def call(self, name, *arguments, accepted=(OK, WARNING)):
        status = getattr(self.library, self.prefix + name)(self.component, *arguments)
        if status not in accepted:
            raise RuntimeError(f"{self.name}: {self.prefix}{name} returns {status}")
        return status

    # ── Values ──

    def groups(self, names):
        kinds = {}
        for name in names:
            kinds.setdefault((self.variables[name].call, self.variables[name].c_type), []).append(name)
        return [Group(call, c_type, of_kind, self.variables) for (call, c_type), of_kind in kinds.items()]

    def transfer(self, verb, group):
        count = [ctypes.c_size_t(len(group.places))] if self.version == 3 else []
        self.call(verb + group.call, group.references, ctypes.c_size_t(len(group.names)), group.values, *count)

    def set(self, groups, values):
        """`values`: a number or a text for each name."""
        for group in groups:
            for i, (name, _) in enumerate(group.places):
                value = values[name]
                value = int(value) if group.is_whole else value.encode() if isinstance(value, str) else value
                group.values[i] = -value if group.signs[i] < 0 else value
            self.transfer("Set", group)

    def get(self, groups):
        row = []
        for group in groups:
            self.transfer("Get", group)
            row.extend(-value if sign < 0 else value for sign, value in zip(group.signs, group.values))
        return row

    # ── The order of calls ──

    def prepare(self, start, stop):
        """Up to where start values and inputs are set; `stop`: None where the end is not known."""
        has_stop, end = int(stop is not None), ctypes.c_double(stop or 0.0)
        begin, no = ctypes.c_double(start), ctypes.c_double(0.0)
        if self.version == 1:
            self.experiment = [begin, ctypes.c_char(bytes([has_stop])), end]
        elif self.version == 2:
            self.call("SetupExperiment", 0, no, begin, has_stop, end)
            self.call("EnterInitializationMode")
        else:
            self.call("EnterInitializationMode", ctypes.c_bool(False), no, begin, ctypes.c_bool(bool(has_stop)), end)

    def start(self):
        if self.version == 1:
            self.call("InitializeSlave", *self.experiment)
            return
        self.call("ExitInitializationMode")
        if self.has_events:
            self.update_discrete_states()

    def update_discrete_states(self):
        needed, ends, nominals, values, defined = (ctypes.c_bool() for _ in range(5))
        when = ctypes.c_double()
        needed.value = True
        while needed.value:
            self.call("UpdateDiscreteStates", *map(ctypes.byref, (needed, ends, nominals, values, defined, when)))
            if ends.value:
                self.is_over = True
                return
        self.next_event = when.value if defined.value else float("inf")
        self.call("EnterStepMode")

    def event(self, setting=()):
        """Event mode, in which inputs are set: pairs of groups and values."""
        self.call("EnterEventMode")
        for groups, values in setting:
            self.set(groups, values)
        self.update_discrete_states()

    def step(self, t, h):
        """Returns False where the FMU asks to end."""
        begin, length = ctypes.c_double(t), ctypes.c_double(h)
        if self.version == 1:
            return self.call("DoStep", begin, length, ctypes.c_char(b"\1"), accepted=(OK, WARNING, DISCARD)) != DISCARD
        if self.version == 2:
            return self.call("DoStep", begin, length, 1, accepted=(OK, WARNING, DISCARD)) != DISCARD
        end, at = t + h, t
        while True:
            event, ends, early, reached = ctypes.c_bool(), ctypes.c_bool(), ctypes.c_bool(), ctypes.c_double()
            to = min(end, self.next_event) if self.next_event > at else end
            self.call("DoStep", ctypes.c_double(at), ctypes.c_double(h if at == t and to == end else to - at), ctypes.c_bool(True),
                      *map(ctypes.byref, (event, ends, early, reached)))
            if ends.value:
                return False
            at = min(reached.value if early.value else to, end)
            at = end if at > end - 1e-9 * h else at
            if self.has_events and (event.value or self.next_event <= at):
                self.event()
            if at >= end or self.is_over:
                return not self.is_over
