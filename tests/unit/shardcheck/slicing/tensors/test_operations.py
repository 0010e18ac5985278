"""Extents of tensors through what reshapes them."""

import pytest

from ...slices import assert_extent, python_value, value_of


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x = q.shape[1]", "q.shape[1]"),
        ("x = q.shape[-1]", "q.shape[-1]"),
        ("x = q.size(1)", "q.size(1)"),
        ("x = q.size(-1)", "q.size(-1)"),
        ("a, b, x = q.shape", "q.shape[2]"),
        ("a, b = q.shape[:2]\nx = b", "q.shape[1]"),
        ("a, b = q.shape[-2:]\nx = b", "q.shape[-1]"),
        ("x = q.view(-1, n, m).shape[1]", "n"),
        ("x = q.view(-1, n, m).shape[-1]", "m"),
        ("x = q.view(k, -1).shape[1]", "q.view[1]"),
        ("x = q.view(*q.shape[:-1], n, m).shape[-2]", "n"),
        ("x = q.view(*q.shape[:-1], n, m).shape[0]", "q.shape[0]"),
        ("x = q.reshape((n, m)).shape[1]", "m"),
        ("x = q.view(n, m).view(torch.int32).shape[1]", "m"),
        ("x = q.flatten(0, 1).shape[0]", "q.shape[0] * q.shape[1]"),
        ("x = q.flatten(0, 1).shape[1]", "q.shape[2]"),
        ("x = q.view(n, m, k).flatten(1).shape[1]", "m * k"),
        ("x = q.view(n, m, k).flatten(-2, -1).shape[-1]", "m * k"),
        ("x = q.transpose(0, 1).shape[0]", "q.shape[1]"),
        ("x = q.transpose(1, 2).shape[0]", "q.shape[0]"),
        ("x = q.view(n, m, k).transpose(-1, -2).shape[-1]", "m"),
        ("x = q.view(n, m, k).permute(2, 0, 1).shape[1]", "n"),
        ("x = q.permute(2, 0, 1).shape[0]", "q.shape[2]"),
        ("x = q.view(n, m).T.shape[0]", "m"),
        ("x = q.view(n, m).t().shape[0]", "m"),
        ("x = q.view(n, m).mT.shape[0]", "m"),
        ("x = q.unsqueeze(0).shape[1]", "q.shape[0]"),
        ("x = q.unsqueeze(-1).shape[-2]", "q.shape[-1]"),
        ("x = q.view(n, m).unsqueeze(1).shape[1]", "1"),
        ("x = q.view(n, 1, m).squeeze(1).shape[1]", "m"),
        ("x = q[None].shape[1]", "q.shape[0]"),
        ("x = q[:, 0].shape[1]", "q.shape[2]"),
        ("x = q[0].shape[0]", "q[0].shape[0]"),
        ("x = q[:, :n].shape[1]", "n"),
        ("x = q[..., :n].shape[-1]", "n"),
        ("x = q[..., None].shape[-2]", "q.shape[-1]"),
        ("x = q.view(n, m)[2:, 1:4].shape[0]", "n - 2"),
        ("x = q.view(n, m)[2:, 1:4].shape[1]", "3"),
        ("x = q.view(n, m)[:-1].shape[0]", "n - 1"),
        ("x = q.view(n, m)[::2].shape[0]", "cdiv(n, 2)"),
        ("x = q.narrow(1, 0, n).shape[1]", "n"),
        ("x = q.select(1, 0).shape[1]", "q.shape[2]"),
        ("x = q.view(n, m).sum(-1).shape[0]", "n"),
        ("x = q.view(n, m).sum(dim=1, keepdim=True).shape[1]", "1"),
        ("a, b = q.chunk(2, dim=-1)\nx = b.shape[-1]", "cdiv(q.shape[-1], 2)"),
        ("a, b = q.view(n, m).chunk(2, dim=-1)\nx = a.shape[0]", "n"),
        ("a, b = q.split([n, m], dim=-1)\nx = b.shape[-1]", "m"),
        ("a, b = q.view(k, n + m).split([n, m], dim=1)\nx = b.shape[1] * a.shape[0]", "m * k"),
        ("a, b, c_ = q.split(n, dim=1)\nx = b.shape[1]", "n"),
        ("a, b = q.view(2, n).unbind(0)\nx = b.shape[0]", "n"),
        ("x = q.view(n, m).expand(k, -1, -1).shape[1]", "n"),
        ("x = q.view(n, 1).expand(-1, m).shape[1]", "m"),
        ("x = q.view(n, m).repeat(2, 3).shape[1]", "m * 3"),
        ("x = q.view(n, m).repeat_interleave(k, dim=1).shape[1]", "m * k"),
        ("x = q.view(n, m).numel()", "n * m"),
        ("x = q.numel()", "q.numel()"),
        ("x = q.numel() // q.shape[-1]", "q.numel() // q.shape[-1]"),
        ("x = q.view(n, m).dim()", "2"),
        ("x = q.view(n, m).ndim", "2"),
        ("x = len(q.view(n, m).shape)", "2"),
        ("x = len(q)", "q.len"),
        ("x = len(q.view(n, m))", "n"),
        ("y = torch.empty(n, m, device=q.device)\nx = y.shape[1]", "m"),
        ("y = torch.zeros((n, m))\nx = y.size(0)", "n"),
        ("y = torch.full(size=(n, m), fill_value=0)\nx = y.size(1)", "m"),
        ("y = q.new_empty(n, m)\nx = y.shape[1]", "m"),
        ("y = torch.empty(q.shape[:-1] + (n,))\nx = y.shape[-1]", "n"),
        ("y = torch.empty_like(q)\nx = y.shape[1]", "q.shape[1]"),
        ("y = q.to(torch.float16).contiguous()\nx = y.shape[1]", "q.shape[1]"),
        ("y = torch.cat([q, q], dim=1)\nx = y.shape[1]", "q.shape[1] * 2"),
        ("y = torch.cat((q.view(n, m), q.view(n, k)), dim=-1)\nx = y.shape[1]", "m + k"),
        ("y = torch.stack([q.view(n), q.view(n)])\nx = y.shape[0] * y.shape[1]", "2 * n"),
        ("y = q.view(n, m)\ny = y.view(m, n) if c else y\nx = y.shape[0]", "m if c else n"),
        ("y = q\nif y.dim() == 2:\n    y = y.unsqueeze(1)\nx = y.shape[0]", "q.shape[0]"),
        ("y = q.view(n, m)\ny[0] = 3\nx = y.shape[0]", "n"),
        ("x = math.prod(q.view(n, m, k).shape[1:])", "m * k"),
        ("if q.ndim == 4:\n    a, x, b, d = q.shape\nelse:\n    x, b, d = q.shape",
         "q.shape[1] if q.ndim == 4 else q.shape[0]"),
        ("y = q[:, :, None, :].expand(-1, -1, k, -1).reshape(q.shape[0], n * k, -1)\n"
         "x = y.shape[1]", "n * k"),
        ("y = q.view(-1, n, 64)\nz = y.view_as(y)\nx = z.shape[1]", "n"),
        ("y = q.view(2, -1, n, 64).transpose(1, 2).contiguous()\nx = y.shape[1]", "n"),
        ("x = q.size(dim=1)", "q.size(1)"),
        ("shape = q.shape\nx = shape[1]", "q.shape[1]"),
    ],
)  # fmt: skip
def test_extents_of_tensors(body: str, expected: str) -> None:
    assert_extent(python_value(f"import math\nimport torch\n{body}"), expected)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x = rearrange(q, 'b l (h d) -> b l h d', h=n).shape[2]", "n"),
        ("x = rearrange(q, 'b l (h d) -> b l h d', h=n).shape[3]", "q.shape[2] // n"),
        ("x = rearrange(q, 'b l h d -> (b h) l d').shape[0]", "q.shape[0] * q.shape[2]"),
        ("x = rearrange(q, '... (h d) -> ... h d', d=n).shape[-2]", "q.shape[-1] // n"),
        ("x = rearrange(q, '... (h d) -> ... h d', d=n).shape[0]", "q.shape[0]"),
        ("x = rearrange(q, 'b l d -> d l b').shape[0]", "q.shape[2]"),
        ("x = rearrange(q, 'b l -> b 1 l').shape[1]", "1"),
        ("x = rearrange(q.view(n, m), 'a b -> (a b)').shape[0]", "n * m"),
    ],
)
def test_patterns_of_einops(body: str, expected: str) -> None:
    assert_extent(python_value(f"from einops import rearrange\n{body}"), expected)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int x = q.size(1);", "q.size(1)"),
        ("auto x = q.sizes()[1];", "q.sizes()[1]"),
        ("auto s = q.sizes(); int x = s[1];", "q.sizes()[1]"),
        ("int x = q.view({n, m}).size(1);", "m"),
        ("auto y = q.view({-1, n, m}); int x = y.size(1);", "n"),
        ("auto y = torch::empty({n, m}, q.options()); int x = y.size(0);", "n"),
        ("auto y = q.transpose(0, 1).contiguous(); int x = y.size(0);", "q.shape[1]"),
        ("auto y = q.unsqueeze(0); int x = y.size(1);", "q.shape[0]"),
        ("auto y = q.flatten(0, 1); int x = y.size(0);", "q.shape[0] * q.shape[1]"),
        ("int x = q.numel() / q.size(-1);", "q.numel() // q.size(-1)"),
        ("int x = q.dim() == 3 ? q.size(1) : q.size(0);",
         "q.size(1) if q.dim() == 3 else q.size(0)"),
    ],
)  # fmt: skip
def test_tensors_of_c(body: str, expected: str) -> None:
    text = f"void f(torch::Tensor q, int64_t n, int64_t m) {{ {body} }}"
    assert_extent(value_of(text), expected)


def test_an_extent_has_no_other_extents_on_its_way() -> None:
    found = python_value("y = q.view(n, m)\nx = y.shape[0]")
    assert "m" not in found.names
    assert_extent(found, "n")
