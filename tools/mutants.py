"""Which changes of the sources are mutants, and which of them are drawn (docs/mutation-testing.md has the rules in words).

A mutant is one small change of one line: an operator, a condition, a statement or an index. What is drawn depends on the sources
and the seed alone, so that a run can be repeated and resumed.
"""

import bisect
import hashlib
import random
import re
from dataclasses import dataclass
from pathlib import Path

KINDS = ("operator", "condition", "statement", "index")

# Headers that more sources than this part of all include: each mutant of them would compile the whole project.
WIDELY_INCLUDED = 0.1

# Calls whose arguments cannot matter: words for people, assertions, sizes that are reserved, what only warns.
WORDS = re.compile(
    r"\b(?:fmt::format(?:_to)?|fmt::print|fmt::join|\w*\.(?:error|warning|note|reserve|shrink_to_fit)|static_assert|assert|ERGON_ASSERT"
    r"|ERGON_DEMAND|log|__attribute__|alignas|noexcept|decltype|sizeof)\s*\("
)
THROWN = re.compile(r"\bthrow\b[^;]*;")
PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", re.M)
# Lines that declare and do nothing.
DECLARING = re.compile(
    r"^[ \t]*(?:template\b|using\b|namespace\b|friend\b|extern\b|typedef\b|class\b|struct\b|enum\b)[^\n]*|\[\[[^\]]*\]\]", re.M
)


@dataclass(frozen=True, order=True)
class Mutant:
    file: str
    start: int  # offset of what is replaced
    end: int
    kind: str
    after: str
    before: str
    line: int
    text: str  # the line as it was, without margins

    @property
    def module(self):
        return module_of(self.file)

    @property
    def change(self):
        """What is told in tables: the piece before and after."""
        return f"{self.before.strip()} → {self.after.strip() or '(nothing)'}"

    def applied(self, source):
        if source[self.start : self.end] != self.before:
            raise ValueError(f"{self.file}:{self.line}: the source is not the one that the mutant was drawn from")
        return source[: self.start] + self.after + source[self.end :]


def module_of(file):
    """The module in whose score a file counts: a folder of src."""
    parts = Path(file).parts
    return parts[1]


def blanked(source):
    """The source with everything that cannot matter replaced by blanks of the same length: comments, literals, messages …"""
    out = list(source)

    def blank(start, end):
        for i in range(start, end):
            if out[i] != "\n":
                out[i] = " "

    literal = re.compile(
        r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', re.S
    )
    for found in literal.finditer(source):
        comment = found.group().startswith("/")
        # A literal leaves its quotes: it is still an operand.
        blank(found.start() + (0 if comment else 1), found.end() - (0 if comment else 1))
    for pattern in (PREPROCESSOR, THROWN, DECLARING):
        for found in pattern.finditer("".join(out)):
            blank(*found.span())
    text = "".join(out)
    for found in WORDS.finditer(text):
        blank(found.end(), closing(text, found.end() - 1))
    return "".join(out)


def closing(text, opening):
    """Offset of the parenthesis that closes the one at `opening`; the end of the text where there is none."""
    depth = 0
    for i in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return i
    return len(text)


OPERAND_BEFORE = r"(?<=[\w)\]\"]) "
OPERAND_AFTER = r" (?=[\w(\-!~*&.\"])"
# Binary operators have blanks around them (clang-format); pointers, references and template arguments have not.
OPERATORS = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*="}
COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
LOGIC = {"&&": "||", "||": "&&"}


def pattern_of(symbols):
    every = "|".join(re.escape(s) for s in sorted(symbols, key=len, reverse=True))
    return re.compile(OPERAND_BEFORE + f"({every})" + OPERAND_AFTER)


PATTERNS = [
    ("operator", pattern_of(OPERATORS), OPERATORS),
    ("condition", pattern_of(COMPARISONS), COMPARISONS),
    ("condition", pattern_of(LOGIC), LOGIC),
]
SIGN = re.compile(r"(?:(?<=return )|(?<== )|(?<=[(,] )|(?<=\())-(?=[A-Za-z_(])")
NEGATION = re.compile(r"(?<=[(\s])!(?=[\w(])")
BRANCH = re.compile(r"\bif (?:constexpr )?\(")
SUBSCRIPT = re.compile(r"(?<=[\w)\]])\[(\d)\](?!\s*=\s*\{)")
NEIGHBOUR = re.compile(r"(?<=[\w)\]])\[(\w+) ([+-]) 1\]")
LOOP_START = re.compile(r"(?<=\bfor \()([^;=()]*= )0(?=;)")
# One statement on one line that is not a declaration: something that exists is changed, or a function is called.
STATEMENT = re.compile(r"(?:\+\+|--)?(?:\(?\*)?[A-Za-z_][\w:.]*(?:(?:->|\.|\[|\()[^;]*)?(?: ?(?:=|\+=|-=|\*=|/=|\|=|&=) [^;]*)?;")
# Nothing is lost where memory is not reserved, and special functions are not statements.
NOT_DELETED = re.compile(
    r".*(?:\.reserve\(|\.shrink_to_fit\(|= (?:default|delete);)"
    r"|^(?:return|break|continue|case|default|goto|else|do|throw|using|delete|assert|static_assert|ERGON_ASSERT)\b"
    r"|^(?:static_cast<void>|public|private|protected)\b"
)
DECLARATION = re.compile(r"^(?:const |static |constexpr |auto |mutable )|^[\w:<>,*& ]+[\w>*&] \w+(?: =|;|\(|\{)")


def sites(file, source):
    """All mutants of a file, in order."""
    code = blanked(source)
    line_starts = [0] + [m.end() for m in re.finditer("\n", source)]
    found = set()

    def add(kind, start, end, after):
        before = source[start:end]
        if before == after:
            return
        number = bisect.bisect_right(line_starts, start)
        begin = line_starts[number - 1]
        stop = source.find("\n", begin)
        text = source[begin : stop if stop >= 0 else len(source)].strip()
        found.add(Mutant(file, start, end, kind, after, before, number, text))

    for kind, pattern, swap in PATTERNS:
        for m in pattern.finditer(code):
            add(kind, m.start(1), m.end(1), swap[m.group(1)])
    for m in SIGN.finditer(code):
        add("operator", m.start(), m.end(), "")
    for m in NEGATION.finditer(code):
        add("condition", m.start(), m.end(), "")
    for m in BRANCH.finditer(code):
        if "constexpr" in m.group():
            continue
        opening = m.end() - 1
        end = closing(code, opening)
        condition = source[opening + 1 : end]
        # `if (const auto x = …)` declares: it has no opposite.
        if re.match(r"(?:const |auto\b)", condition) or ";" in condition or "\n" in condition:
            continue
        add("condition", opening + 1, end, f"!({condition})")
    for m in SUBSCRIPT.finditer(code):
        digit = int(m.group(1))
        add("index", m.start(1), m.end(1), str(digit - 1 if digit > 0 else 1))
    for m in NEIGHBOUR.finditer(code):
        add("index", m.start(), m.end(), f"[{m.group(1)}]")
    for m in LOOP_START.finditer(code):
        add("index", m.end() - 1, m.end(), "1")
    last = "{"
    for begin, stop in zip(line_starts, line_starts[1:] + [len(source)]):
        line = code[begin:stop].strip()
        if not line:
            continue
        starts_here = last.endswith((";", "{", "}", ":")) or re.search(r"^(?:if|for|while|else)\b.*\)$|^else$", last)
        balanced = line.count("(") == line.count(")") and line.count("{") == line.count("}")
        whole = STATEMENT.fullmatch(line) and balanced and starts_here
        if whole and not NOT_DELETED.match(line) and not DECLARATION.match(line):
            start = begin + code[begin:stop].index(line[0])
            add("statement", start, start + len(line), "{}")
        last = line
    return sorted(found)


INCLUDE = re.compile(r'^#include "ergon/([^"]+)"', re.M)


def widely_included(sources):
    """Headers that more than WIDELY_INCLUDED of the sources include, by themselves or through others."""
    includes = {name: {"src/" + i for i in INCLUDE.findall(text)} for name, text in sources.items()}
    users = {}
    for name in sources:
        if not name.endswith(".cpp"):
            continue
        seen, open_ones = set(), [name]
        while open_ones:
            for header in includes.get(open_ones.pop(), ()):
                if header not in seen:
                    seen.add(header)
                    open_ones.append(header)
        for header in seen:
            users[header] = users.get(header, 0) + 1
    limit = WIDELY_INCLUDED * sum(name.endswith(".cpp") for name in sources)
    return {header for header, count in users.items() if count > limit}


def all_sites(sources):
    """Mutants by module and kind, of sources by name: no tests, no declarations of foreign interfaces."""
    wide = widely_included(sources)
    by_module = {}
    for name in sorted(sources):
        if name.endswith("_test.cpp") or "/declarations/" in name or name in wide:
            continue
        for mutant in sites(name, sources[name]):
            by_module.setdefault(mutant.module, {}).setdefault(mutant.kind, []).append(mutant)
    return by_module


def shares(weights, count):
    """How many of `count` each module gets: by its weight, at least one each as long as they last."""
    names = sorted(weights, key=lambda name: (-weights[name], name))
    total = sum(weights.values())
    wanted = {name: count * weights[name] / total for name in names}
    share = {name: int(wanted[name]) for name in names}
    for name in names:
        if share[name] == 0 and sum(share.values()) < count:
            share[name] = 1
    order = sorted(names, key=lambda name: (share[name] - wanted[name], name))
    for i in range(max(0, count - sum(share.values()))):
        share[order[i % len(order)]] += 1
    return share


def draw(by_module, count, seed):
    """Slots of (module, candidates in order): the first candidate that compiles to something else is the mutant of the slot."""
    weights = {module: len({(m.file, m.line) for kind in kinds.values() for m in kind}) for module, kinds in by_module.items()}
    slots = []
    for module, number in sorted(shares(weights, count).items()):
        if number == 0:
            continue
        rng = random.Random(hashlib.sha256(f"{seed}/{module}".encode()).digest())
        piles = {kind: rng.sample(found, len(found)) for kind, found in sorted(by_module[module].items())}
        dealt = []
        while piles:
            kind = rng.choice(sorted(piles))  # each kind as often as the others, however many there are of it
            dealt.append(piles[kind].pop())
            if not piles[kind]:
                del piles[kind]
        slots += [(module, dealt[k::number]) for k in range(number)]
    return slots
