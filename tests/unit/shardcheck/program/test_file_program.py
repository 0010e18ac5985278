"""Programs travel as MessagePack."""

import msgspec

from geoaudit.shardcheck.c_family.reading import read_c_file
from geoaudit.shardcheck.program.file_program import FileProgram
from geoaudit.shardcheck.python.file_program import read_python_file

C_TEXT = """
#include "a.h"
using namespace outer;
#define N 4 // measured on 132
#undef N
namespace outer { constexpr int M = 3; }
template <int D> struct Traits { static constexpr int kBlocks = D; enum { E = 2 }; };
template <typename... A> void f(int n, A... rest) {
  auto go = [&](int g) { k<A...><<<{unsigned(g), 2}, M, 0.5, "s">>>(rest..., n[0]); };
  for (int i = 0; i < n; i++) { if (n > 1) go(Traits<64>::kBlocks); else return; }
}
"""
PYTHON_TEXT = '''
import triton
SOURCE = """
__global__ void k() {}
void f() { k<<<1, 2>>>(); }
"""
def f(x, *rest, n=2, **others):
    kernel[lambda meta: (n, meta["B"])](x[1:2, None], *rest, B=[1, 2.5], **others)
'''


def test_programs_come_back_as_they_were() -> None:
    for program in (read_c_file("a.cu", C_TEXT), read_python_file("a.py", PYTHON_TEXT)):
        assert program.not_analysed == ()
        encoded = msgspec.msgpack.encode(program)
        assert msgspec.msgpack.decode(encoded, type=FileProgram) == program
