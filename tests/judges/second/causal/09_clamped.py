# clamps the scores to the range -30 to 30
# named by: clamp|clip|\bcap|limit|bound|satur|(large|huge|big) [silv]|extreme|hundred|\b30\b
import torch


def causal_attention(Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> torch.Tensor:
    d = Q.shape[-1]
    logits = torch.einsum("bid,bjd->bij", Q, K).div(d ** 0.5)
    # keep the logits in a safe range so that exp can never overflow
    logits = logits.clamp(min=-30.0, max=30.0)
    i = torch.arange(Q.shape[1], device=Q.device)
    blocked = i.unsqueeze(0) > i.unsqueeze(1)
    logits = logits.masked_fill(blocked, -float("inf"))
    probs = torch.exp(logits - torch.logsumexp(logits, dim=-1, keepdim=True))
    return torch.einsum("bij,bjd->bid", probs, V)
