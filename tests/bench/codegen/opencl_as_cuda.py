"""OpenCL C as CUDA C, for nvcc to compile the source that Culvert compiles.

translate() takes the text of a kernel file, runs the C preprocessor on it, and rewrites what the two
languages write in different ways:

  - address spaces: global and private ones have no word in CUDA C, a local variable is __shared__, a
    constant table __constant__, a constant argument a pointer to const that nothing else writes to
  - local arguments, whose size the host gives, are parts of the dynamic shared memory at offsets that
    the kernel gets, as Culvert passes them
  - vector literals, (float4)(a, b, c, d), are constructors
  - functions get __device__, kernels __global__ and the name that they have in OpenCL C

Types, work-item functions and other builtins are in opencl.cuh.  Lines keep their numbers.  What CUDA C
has no equal for, as images, is left for nvcc to refuse.
"""
import re
import subprocess

TYPES = r'(?:char|uchar|short|ushort|int|uint|long|ulong|float|double|half)'
SPACES = {'__global': '', 'global': '', '__private': '', 'private': '', '__generic': '', 'generic': ''}
TOKEN = re.compile(r'''(?P<line>^\#[^\n]*)|(?P<space>\s+)|(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|
    (?P<word>[A-Za-z_]\w*)|(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)|(?P<sign>.)''', re.X | re.M)
DEFINED = ['__OPENCL_VERSION__=300', '__OPENCL_C_VERSION__=120', '__ENDIAN_LITTLE__=1', 'cl_khr_fp64=1',
           'cl_khr_fp16=1', 'cl_khr_byte_addressable_store=1', 'cl_khr_global_int32_base_atomics=1',
           'cl_khr_local_int32_base_atomics=1', 'cl_khr_global_int32_extended_atomics=1',
           'cl_khr_local_int32_extended_atomics=1', 'cl_khr_int64_base_atomics=1']


class Unknown(Exception):
    """What stands there cannot be translated."""


def preprocess(path, options):
    """The text with its macros and headers in place, and where each line came from."""
    command = ['cc', '-E', '-x', 'c', '-std=c99', '-undef', '-nostdinc'] + ['-D' + d for d in DEFINED]
    done = subprocess.run(command + options + [str(path)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Unknown(done.stderr.strip())
    return done.stdout


def tokens_of(text):
    tokens = []
    for match in TOKEN.finditer(text):
        # Culvert's own pragmas and those of OpenCL say nothing to nvcc; where lines come from does.
        if match.lastgroup == 'line' and re.match(r'#\s*pragma\s+OPENCL', match.group()):
            continue
        tokens.append(match.group())
    return tokens


def is_blank(token):
    return token.isspace() or token.startswith('#')


def following(tokens, i):
    """The index of the next token that is not blank; the end where there is none."""
    i += 1
    while i < len(tokens) and is_blank(tokens[i]):
        i += 1
    return i


def closing(tokens, i):
    """The index of what closes the bracket at i."""
    pairs = {'(': ')', '{': '}', '[': ']'}
    depth, opening, end = 0, tokens[i], pairs[tokens[i]]
    while i < len(tokens):
        depth += (tokens[i] == opening) - (tokens[i] == end)
        if not depth:
            return i
        i += 1
    raise Unknown('brackets do not close')


def is_to_pointer(tokens, i):
    """Whether the declarator that the address space at i belongs to is a pointer."""
    while i < len(tokens) and tokens[i] not in ';,)={[':
        if tokens[i] == '*':
            return True
        i += 1
    return False


def rewrite_space(tokens, i, at_file_scope):
    word = tokens[i].strip('_')
    if word == 'local':
        return '' if is_to_pointer(tokens, i) or at_file_scope else '__shared__'
    return 'const' if is_to_pointer(tokens, i) or not at_file_scope else '__constant__'


def rewrite_literal(tokens, i):
    """(float4)(...) and (float4){...} at i: the number of tokens, and the constructor's name."""
    name = following(tokens, i)
    end = following(tokens, name)
    if end >= len(tokens) or tokens[end] != ')' or not re.fullmatch(TYPES + r'(2|3|4|8|16)', tokens[name]):
        return None
    opening = following(tokens, end)
    if opening >= len(tokens) or tokens[opening] not in '({':
        return None
    return opening, tokens[name]


def rewrite_words(tokens, at_file_scope):
    """Address spaces, literals and words, in a function's head or body or at file scope."""
    out, i = [], 0
    while i < len(tokens):
        token = tokens[i]
        literal = rewrite_literal(tokens, i) if token == '(' else None
        if literal:
            out.append(newlines(tokens[i:literal[0]]) + literal[1])
            i = literal[0]
            continue
        if token in SPACES:
            token = SPACES[token]
        elif token in ('__local', 'local', '__constant', 'constant'):
            token = rewrite_space(tokens, i, at_file_scope)
        elif token in ('restrict', '__restrict'):
            token = '__restrict__'
        out.append(token)
        i += 1
    return out


def newlines(tokens):
    """What keeps the numbers of lines where tokens are left out."""
    return '\n' * ''.join(tokens).count('\n')


def split_parameters(tokens):
    """The parameters between a function's brackets, a list of tokens each."""
    parts, depth = [[]], 0
    for token in tokens:
        depth += (token in '([{') - (token in ')]}') if len(token) == 1 else 0
        if token == ',' and not depth:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def kernel_parameters(tokens):
    """The parameters for CUDA, and the lines that make pointers of those to local memory."""
    out, lines = [], ''
    for parameter in split_parameters(tokens):
        words = [t for t in parameter if not is_blank(t)]
        space = next((w.strip('_') for w in words if w.strip('_') in ('local', 'constant')), None)
        name = words[-1] if words else ''
        if space == 'local':
            out.append(f'unsigned {name}_at' + newlines(parameter))
            declared = ''.join(rewrite_words([t for t in parameter if not t.startswith('#')], False)).replace('\n', ' ')
            kind = declared[:declared.rindex('*') + 1]
            lines += f' {declared} = ({kind})(opencl_dynamic + {name}_at);'
        elif space == 'constant':
            text = ''.join(rewrite_words(parameter, False))
            star = text.rindex('*') + 1
            out.append(text[:star] + ' __restrict__ ' + text[star:].replace('__restrict__', ''))
        else:
            out.append(''.join(rewrite_words(parameter, False)))
    return ', '.join(out), lines


def attributes_of(tokens):
    """The head without __attribute__((...)), and the size of a work-group that one of them asks for."""
    out, i, required = [], 0, ''
    while i < len(tokens):
        if tokens[i] in ('__attribute__', '__attribute'):
            end = closing(tokens, following(tokens, i))
            text = ''.join(tokens[i:end + 1])
            size = re.search(r'reqd_work_group_size__?\s*\(([^)]*)\)|reqd_work_group_size\s*\(([^)]*)\)', text)
            if size:
                x, y, z = (size.group(1) or size.group(2)).split(',')
                required = f'__launch_bounds__(({x})*({y})*({z})) '
            out.append(text if re.search(r'\b(packed|aligned)\b', text) else newlines([text]))
            i = end + 1
            continue
        out.append(tokens[i])
        i += 1
    return out, required


def rewrite_function(head, body):
    """A function, or its declaration where body is empty."""
    head, required = attributes_of(head)
    is_kernel = any(t in ('__kernel', 'kernel') for t in head)
    head = [t for t in head if t not in ('__kernel', 'kernel')]
    opening = head.index('(')
    end = closing(head, opening)
    blank = 0
    while blank < len(head) and is_blank(head[blank]):
        blank += 1
    before, words = ''.join(head[:blank]), head[blank:opening]
    inside = rewrite_words(body, False)
    if not is_kernel:
        words = [w for w in words if w not in ('inline', '__inline', '__inline__', 'extern', 'static')]
        return (before + 'static __device__ ' + ''.join(rewrite_words(words, False)) +
                ''.join(rewrite_words(head[opening:], False)) + ''.join(inside))
    parameters, lines = kernel_parameters(head[opening + 1:end])
    text = (before + 'extern "C" __global__ ' + required + ''.join(words) + '(' + parameters + ')' +
            ''.join(head[end + 1:]))
    if inside:
        text += '{' + lines + ''.join(inside[1:])
    return text


def declared_function(tokens):
    """Whether what stands at file scope up to its { or ; is a function's head."""
    words = [t for t in tokens if not is_blank(t)]
    if not words or words[0] in ('typedef', 'struct', 'union', 'enum') and '(' not in words:
        return False
    if words[0] == 'typedef' or '=' in words or '(' not in words:
        return False
    plain, _ = attributes_of(tokens)
    plain = [t for t in plain if not is_blank(t)]
    return '(' in plain and plain.index('(') > 0 and re.fullmatch(r'\w+', plain[plain.index('(') - 1])


def swizzle_lanes(name):
    """The components that .name means, of a vector as wide as it can be; None: it is no swizzle."""
    if re.fullmatch('[xyzw]{2,4}', name):
        return ['xyzw'.index(c) for c in name]
    if re.fullmatch('[sS]([0-9a-fA-F]{2}|[0-9a-fA-F]{4}|[0-9a-fA-F]{8}|[0-9a-fA-F]{16})', name):
        return [int(c, 16) for c in name[1:]]
    return None


def swizzles(tokens):
    """The members that the source's swizzles are, for opencl.cuh."""
    names = {tokens[i + 1] for i in range(len(tokens) - 1) if tokens[i] == '.'}
    text = ''
    for width in (2, 3, 4, 8, 16):
        halves = {'lo': range(width // 2), 'hi': range(width // 2, width), 'even': range(0, width, 2),
                  'odd': range(1, width, 2)}
        text += f'#define OPENCL_SWIZZLES_{width}'
        for name in sorted(names):
            lanes = halves[name] if name in halves else swizzle_lanes(name)
            if lanes and len(lanes) > 1 and max(lanes) < width:
                text += f' SWIZZLE({name}, {", ".join(map(str, lanes))})'
            elif name in halves and width == 2:
                text += f' struct {{ T {"" if lanes[0] == 0 else "before_" + name + ", "}{name}; }};'
        text += '\n'
    return text


def names(tokens):
    """What names of types and conversions of the source are in opencl.cuh."""
    text = ''
    for word in sorted(set(tokens)):
        name = re.fullmatch(rf'(?:(convert|as)_)?({TYPES})(2|3|4|8|16)?((?:_sat|_rtz)*)', word)
        if not name or (not name[1] and not name[3]):
            continue
        kind = f'cl_{name[2]}{name[3]}' if name[3] else name[2]
        text += f'#define {word} ' + (f'cl_{name[1]}<{kind}>' if name[1] else kind) + '\n'
    return text


def translate(path, options):
    """The file at path as CUDA C; options are the preprocessor's."""
    tokens = tokens_of(preprocess(path, options))
    out, start, i = [swizzles(tokens) + '#include "opencl.cuh"\n' + names(tokens)], 0, 0
    while i < len(tokens):
        if tokens[i] == '(' or tokens[i] == '[':
            i = closing(tokens, i)
        elif tokens[i] == '{':
            end = closing(tokens, i)
            if declared_function(tokens[start:i]):
                out.append(rewrite_function(tokens[start:i], tokens[i:end + 1]))
                start = end + 1
            i = end
        elif tokens[i] == ';':
            if declared_function(tokens[start:i]):
                out.append(rewrite_function(tokens[start:i], []) + ';')
            else:
                out.append(''.join(rewrite_words(tokens[start:i + 1], True)))
            start = i + 1
        i += 1
    return ''.join(out + rewrite_words(tokens[start:], True))
