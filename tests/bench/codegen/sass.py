"""Machine code of kernels by nvdisasm: how many instructions there are, and what its loops do.

kernels() reads what `nvdisasm -g` prints.  A loop is what a branch back encloses, and an innermost one
has no other in it.  A compiler unrolls a loop of the source so many times as it likes and leaves a shorter
one for the rest, so that two loops are compared by what an instruction of the source's work costs in them:
a Loop has its instructions, and its work in units that do not depend on unrolling.
"""
import math
import re

LABEL = re.compile(r'^\.?(L_x_\d+|\.L_x_\d+):')
CODE = re.compile(r'^\s+/\*([0-9a-f]{4,})\*/\s+(@!?U?P\w+)?\s*([A-Z][\w.]*)(.*?);')
SECTION = re.compile(r'^\s*\.section\s+\.text\.([\w$]+)')
LINE = re.compile(r'^\s*//## File "[^"]*", line (\d+)')
REGISTERS = re.compile(r'EIATTR_REGCOUNT\n(?:.*\n){1,8}?.*\.word\s+index@\(([\w$]+)\)\n.*\.word\s+0x([0-9a-f]+)')
BRANCH = re.compile(r'\(\.(L_x_\d+)\)')
FLOATS = {'FFMA': 2, 'FADD': 1, 'FMUL': 1, 'DFMA': 2, 'DADD': 1, 'DMUL': 1, 'MUFU': 1, 'FMNMX': 1, 'FSETP': 1,
          'DSETP': 1, 'HFMA2': 2, 'HADD2': 1, 'HMUL2': 1}
MEMORY = {'LDG', 'STG', 'LDS', 'STS', 'LD', 'ST', 'ATOMG', 'ATOMS', 'ATOM', 'RED', 'LDL', 'STL'}


class Instruction:
    def __init__(self, address, word, operands, line):
        self.address, self.operands, self.line = address, operands, line
        self.name, *self.parts = word.split('.')

    def floats(self):
        """Additions and multiplications; HFMA2 of zeros is how a register becomes a constant."""
        if self.name == 'HFMA2' and '-RZ, RZ' in self.operands:
            return 0
        return FLOATS.get(self.name, 0)

    def memory_B(self):
        if self.name not in MEMORY:
            return 0
        for part, size_B in (('128', 16), ('64', 8), ('U8', 1), ('S8', 1), ('U16', 2), ('S16', 2)):
            if part in self.parts:
                return size_B
        return 4


class Loop:
    """What is between a label and the branch back to it."""
    def __init__(self, instructions):
        self.instructions = instructions
        self.count = sum(i.name != 'NOP' for i in instructions)
        self.floats = sum(i.floats() for i in instructions)
        self.memory_B = sum(i.memory_B() for i in instructions)
        self.lines = {i.line for i in instructions if i.line}
        self.work_lines = {i.line for i in instructions if i.line and (i.floats() or i.memory_B())} or self.lines


class Kernel:
    def __init__(self, name):
        self.name, self.instructions, self.labels, self.registers = name, [], {}, None

    def count(self):
        return sum(i.name != 'NOP' for i in self.instructions)

    def loops(self):
        """The innermost loops, in the code's order; a branch to itself is the code's end."""
        spans = []
        for at, i in enumerate(self.instructions):
            target = BRANCH.search(i.operands)
            start = self.labels.get(target.group(1)) if target and i.name in ('BRA', 'BRX') else None
            if start is not None and start < at:
                spans.append((start, at))
        inner = [s for s in spans if not any(o != s and s[0] <= o[0] and o[1] <= s[1] for o in spans)]
        return [Loop(self.instructions[a:b + 1]) for a, b in sorted(set(inner))]


def kernels(text):
    """The kernels of a disassembly, by name."""
    found, kernel, line = {}, None, 0
    for row in text.splitlines():
        section, label, code, place = (p.match(row) for p in (SECTION, LABEL, CODE, LINE))
        if section:
            kernel = found.setdefault(section.group(1), Kernel(section.group(1)))
        elif place:
            line = int(place.group(1))
        elif label and kernel:
            kernel.labels[label.group(1).lstrip('.')] = len(kernel.instructions)
        elif code and kernel:
            kernel.instructions.append(Instruction(int(code.group(1), 16), code.group(3), code.group(4), line))
    for name, count in REGISTERS.findall(text):
        if name in found:
            found[name].registers = int(count, 16)
    return found


def scale_of(ours, theirs):
    """How much more of the source's work one turn of our loop does than one of theirs; None: not to be told.

    Floating-point operations and bytes of memory are counted, but a compiler may join some of either.  Loops are
    mostly unrolled by powers of two, so that the count whose ratio is nearest to one of those is taken."""
    ratios = [getattr(ours, unit) / getattr(theirs, unit) for unit in ('floats', 'memory_B')
              if getattr(ours, unit) and getattr(theirs, unit)]
    if not ratios:
        return None if ours.floats or ours.memory_B or theirs.floats or theirs.memory_B else 1.0
    return min(ratios, key=lambda ratio: abs(math.log2(ratio) - round(math.log2(ratio))))


def main_loops(loops):
    """Of the loops that one loop of the source became the one with most work, by the lines of its work."""
    best = {}
    for loop in loops:
        key = frozenset(loop.work_lines)
        known = best.get(key)
        if not known or (loop.floats, loop.memory_B, loop.count) > (known.floats, known.memory_B, known.count):
            best[key] = loop
    return best


def pairs(ours, theirs):
    """Loops of both that are the same loop of the source, as far as lines tell: (ours, theirs, ratio)."""
    mine, others = main_loops(ours.loops()), main_loops(theirs.loops())
    out = []
    for lines, loop in mine.items():
        likely = max(others, key=lambda o: len(o & lines) / len(o | lines), default=None)
        if likely is None or 2 * len(likely & lines) < len(likely | lines):
            continue
        scale = scale_of(loop, others[likely])
        if scale:
            out.append((loop, others[likely], loop.count / scale / others[likely].count))
    return out
