"""The modules of bottleneck adapters and of their fusion; made by functions, so that importing this needs no torch."""

from functools import cache
from typing import Any

from epitome.systems.neural.libraries import import_library

NOISE = 0.02
"""Standard deviation of new matrices W_down, Q and K."""
VALUE_NOISE = 1e-6
"""Standard deviation of the noise on the identity in new matrices V."""


def make_adapter(width: int, middle: int) -> Any:
    """width -> middle -> width. W_up begins with zeros, so that a new adapter changes nothing."""
    nn = import_library("torch").nn
    down, up = nn.Linear(width, middle), nn.Linear(middle, width)
    nn.init.normal_(down.weight, std=NOISE)
    nn.init.zeros_(down.bias)
    nn.init.zeros_(up.weight)
    nn.init.zeros_(up.bias)
    return nn.Sequential(down, nn.ReLU(), up)


def make_fusion(width: int) -> Any:
    """Q and K small at random, V the identity with a little noise."""
    return _fusion_class()(width)


@cache
def _fusion_class() -> Any:
    torch = import_library("torch")

    class FusionLayer(torch.nn.Module):  # type: ignore[misc, name-defined]
        """Attention of a token over the outputs of its adapters."""

        def __init__(self, width: int) -> None:
            super().__init__()
            self.query, self.key, self.value = (torch.nn.Linear(width, width, bias=False) for _matrix in range(3))
            torch.nn.init.normal_(self.query.weight, std=NOISE)
            torch.nn.init.normal_(self.key.weight, std=NOISE)
            with torch.no_grad():
                self.value.weight.copy_(torch.eye(width) + torch.randn(width, width) * VALUE_NOISE)

        def forward(self, hidden: Any, adapted: Any) -> tuple[Any, Any]:
            """hidden: (rows, tokens, width); adapted: (rows, tokens, adapters, width). Returns the weighted sum and
            the weights, (rows, tokens, adapters), which sum to 1."""
            scores = torch.einsum("btd,btnd->btn", self.query(hidden), self.key(adapted))
            weights = scores.float().softmax(dim=-1)
            values = self.value(adapted)
            return torch.einsum("btn,btnd->btd", weights.to(values.dtype), values), weights

        def value_distance(self) -> Any:
            """|V - I|^2."""
            weight = self.value.weight
            return (weight - torch.eye(len(weight), device=weight.device, dtype=weight.dtype)).square().sum()

    return FusionLayer
