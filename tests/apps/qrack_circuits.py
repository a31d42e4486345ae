#!/usr/bin/python3
"""Protects: Qrack, a simulator of quantum computers, by its OpenCL engine: gates, arithmetic on registers, tables,
Fourier transforms and expectations of a state with random numbers, compared with NumPy's.  APP_PYTHON is a Python that
has pyqrack, pyopencl and numpy."""
import importlib.metadata
import os
import sys

from results import Results, device, started

started()
try:
    import numpy
    import pyopencl
    version = importlib.metadata.version("pyqrack")
except (ImportError, importlib.metadata.PackageNotFoundError) as error:
    print("skipped:", error)
    sys.exit(77)
found = device()
devices = [one for platform in pyopencl.get_platforms() for one in platform.get_devices()]
os.environ.update(QRACK_OCL_DEFAULT_DEVICE=str(devices.index(found)), QRACK_DISABLE_QUNIT_FIDELITY_GUARD="1")
from pyqrack import Pauli, QrackSimulator  # which looks for devices as it is read
from pyqrack.qrack_system import Qrack

QUBITS, CLOSE = 10, 1e-5
random = numpy.random.default_rng(28)
results = Results()
state = random.standard_normal((2, 2 ** QUBITS))
state = (state[0] + 1j * state[1]) / numpy.linalg.norm(state)
indices = numpy.arange(2 ** QUBITS)
H = numpy.array([[1, 1], [1, -1]]) / 2 ** 0.5
X, Y, Z = (numpy.array(matrix) for matrix in ([[0, 1], [1, 0]], [[0, -1j], [1j, 0]], [[1, 0], [0, -1]]))
S, T = numpy.diag([1, 1j]), numpy.diag([1, numpy.exp(0.25j * numpy.pi)])


class Engine(QrackSimulator):
    """Nothing but the engine for OpenCL, without the layers that would do a part on the processor."""

    def __init__(self, numbers):
        # No network of tensors, decomposition (two kinds), stabilizers, diagrams, pages, noise or processor beside it.
        layers = [False] * 8
        self.sid = Qrack.qrack_lib.init_count_type(QUBITS, *layers, True, False, False)
        self.is_pure_stabilizer = False
        self._throw_if_error()
        self.in_ket(list(numbers))


def bit(qubit):
    return indices >> qubit & 1


def gate(matrix, target, controls=(), value=1, numbers=state):
    """The numbers after the 2 x 2 matrix on the target, where all controls are the value."""
    zero, one = indices & ~(1 << target), indices | 1 << target
    row = numpy.asarray(matrix)[bit(target)]
    after = row[:, 0] * numbers[zero] + row[:, 1] * numbers[one]
    chosen = numpy.all([bit(control) == value for control in controls], axis=0) if controls else True
    return numpy.where(chosen, after, numbers)


def register(qubits):
    """The number in these qubits, for each index."""
    return sum(bit(qubit) << i for i, qubit in enumerate(qubits))


def stored(number, qubits, where=indices):
    """The indices with that number in these qubits."""
    for i, qubit in enumerate(qubits):
        where = where & ~(1 << qubit) | (number >> i & 1) << qubit
    return where


def moved(places, numbers=state):
    """Each number at its new place; where several meet, all but one are 0."""
    after = numpy.zeros_like(numbers)
    numpy.add.at(after, places, numbers)
    return after


def emptied(*qubits):
    """A state in which these are 0."""
    numbers = numpy.where(register(qubits) == 0, state, 0)
    return numbers / numpy.linalg.norm(numbers)


def same(got, wanted):
    """Whether they are the same but for a factor of all, which no measurement tells."""
    turn = numpy.vdot(got, wanted)
    return abs(got * turn / abs(turn) - wanted).max() <= CLOSE


def becomes(what, change, wanted, numbers=state):
    def good():
        engine = Engine(numbers)
        change(engine)
        return same(numpy.array(engine.out_ket()), wanted)
    results.add(what, good)


def tells(what, ask, wanted):
    results.add(what, lambda: numpy.allclose(ask(Engine(state)), wanted, atol=CLOSE))


A, B, C, MIXED = [0, 1, 2, 3], [4, 5, 6, 7], [8, 9], [1, 4, 2]
turn = numpy.linalg.qr(random.standard_normal((2, 2)) + 1j * random.standard_normal((2, 2)))[0]
numbers = [complex(number) for number in turn.ravel()]

becomes("the state itself", lambda e: None, state)
for name, matrix in (("x", X), ("y", Y), ("z", Z), ("h", H), ("s", S), ("t", T)):
    becomes(name, lambda e, name=name: getattr(e, name)(3), gate(matrix, 3))
    becomes("mc" + name, lambda e, name=name: getattr(e, "mc" + name)([0, 7], 5), gate(matrix, 5, [0, 7]))
    becomes("mac" + name, lambda e, name=name: getattr(e, "mac" + name)([9, 2], 0), gate(matrix, 0, [9, 2], 0))
for name, matrix in (("adjs", S.conj()), ("adjt", T.conj())):
    becomes(name, lambda e, name=name: getattr(e, name)(8), gate(matrix, 8))
becomes("mtrx", lambda e: e.mtrx(numbers, 9), gate(turn, 9))
becomes("mcmtrx", lambda e: e.mcmtrx([1, 2, 3], numbers, 6), gate(turn, 6, [1, 2, 3]))
for pauli, matrix in ((Pauli.PauliX, X), (Pauli.PauliY, Y), (Pauli.PauliZ, Z)):
    half = numpy.cos(0.35) * numpy.eye(2) - 1j * numpy.sin(0.35) * matrix
    becomes("r, %s" % pauli.name, lambda e, pauli=pauli: e.r(pauli, 0.7, 4), gate(half, 4))
    becomes("mcr, %s" % pauli.name, lambda e, pauli=pauli: e.mcr(pauli, 0.7, [5], 4), gate(half, 4, [5]))
pair = stored(register([2, 7]), [7, 2])
becomes("swap", lambda e: e.swap(2, 7), moved(pair))
becomes("cswap", lambda e: e.cswap([5], 2, 7), moved(numpy.where(bit(5) == 1, pair, indices)))
becomes("iswap", lambda e: e.iswap(2, 7), moved(pair, numpy.where(bit(2) != bit(7), 1j * state, state)))
becomes("phase_parity", lambda e: e.phase_parity(0.8, A), state * numpy.exp(
    0.4j * (2 * (sum(bit(qubit) for qubit in A) % 2) - 1)))
reversed_bits = [int("{:04b}".format(number)[::-1], 2) for number in range(16)]
fourier = numpy.fft.fft(state.reshape(-1, 16), norm="ortho")[:, reversed_bits].ravel()
becomes("qft", lambda e: e.qft(A), fourier)
becomes("iqft", lambda e: e.iqft(A), state, fourier)
for name, places in (("add", stored(register(A) + 5 & 15, A)), ("sub", stored(register(A) - 5 & 15, A))):
    becomes(name, lambda e, name=name: getattr(e, name)(5, A), moved(places))
    becomes("mc" + name, lambda e, name=name: getattr(e, "mc" + name)(5, [8, 9], A),
            moved(numpy.where(register(C) == 3, places, indices)))
table = [int(number) for number in random.permutation(16)]
permuted = stored(numpy.array(table)[register(A)], A)
becomes("hash", lambda e: e.hash(A, table), moved(permuted))
product = register(A) * 7
free = emptied(*B)
becomes("mul", lambda e: e.mul(7, A, B), moved(stored(product >> 4, B, stored(product & 15, A)), free), free)
becomes("mul, then div", lambda e: (e.mul(7, A, B), e.div(7, A, B)), free, free)
for name, result in (("muln", product % 16), ("pown", numpy.array([pow(7, int(n), 16) for n in register(A)]))):
    becomes(name, lambda e, name=name: getattr(e, name)(7, 16, A, B), moved(stored(result, B), free), free)
becomes("lda", lambda e: e.lda(A, B, table), moved(stored(numpy.array(table)[register(A)], B), free), free)
clear, carried = emptied(8), emptied(9)
total = register(B) + numpy.array(table)[register(A)]
# A carry in another qubit than the last takes the numbers of other indices (indexedAdc reads stateVec[lcv], not [i]).
becomes("adc", lambda e: e.adc(9, A, B, table), moved(stored(total >> 4, [9], stored(total & 15, B)), carried), carried)
for name, result in (("qand", bit(1) & bit(2)), ("qor", bit(1) | bit(2)), ("qxor", bit(1) ^ bit(2)),
                     ("qnand", 1 - (bit(1) & bit(2)))):
    becomes(name, lambda e, name=name: getattr(e, name)(1, 2, 8), moved(stored(result, [8]), clear), clear)
likely = abs(state) ** 2
tells("prob", lambda e: [e.prob(qubit) for qubit in range(QUBITS)], [likely[bit(q) == 1].sum() for q in range(QUBITS)])
tells("prob_all", lambda e: e.prob_all(MIXED), numpy.bincount(register(MIXED), likely))
tells("prob_perm", lambda e: e.prob_perm(MIXED, [True, False, True]), likely[register(MIXED) == 5].sum())
tells("permutation_expectation", lambda e: e.permutation_expectation(B), (likely * register(B)).sum())
tells("variance", lambda e: e.variance(B), (likely * register(B) ** 2).sum() - (likely * register(B)).sum() ** 2)
turned = gate(Z, 6, numbers=gate(Y, 4, numbers=gate(X, 1)))
tells("pauli_expectation", lambda e: e.pauli_expectation([1, 4, 6], [Pauli.PauliX, Pauli.PauliY, Pauli.PauliZ]),
      numpy.vdot(state, turned).real)
kept = numpy.where(bit(3) == 1, state, 0)
becomes("force_m", lambda e: e.force_m(3, True), kept / numpy.linalg.norm(kept))
results.end("Qrack", version, found.name)
