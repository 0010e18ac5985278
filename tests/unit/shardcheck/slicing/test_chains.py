"""A derivation leads through the launchers down to the launch itself."""

from geoaudit.shardcheck.c_family.reading import read_c_file
from geoaudit.shardcheck.slicing.launches.launch_sites import launch_sites

SOURCE = """\
template <typename F> void launch(dim3 grid, F kernel) {
    kernel<<<grid, 128>>>();
}
void decode(int n_head) {
    launch(dim3(n_head, 3), decode_step);
}
"""


def test_the_launchers_own_launch_is_a_hop() -> None:
    sites = launch_sites([read_c_file("decode.cu", SOURCE)])
    call = next(site for site in sites if site.line == 5)
    assert (call.launcher, call.kernel) == ("launch", "decode_step")
    assert [hop.line for hop in call.chain][:2] == [5, 2]
