# answer: my_average_9_1 | right | TODO: in one line
def my_average_9_1(values, weights):
    return (weights * values).sum(-1) / weights.sum(-1)

# answer: my_average_9_1 | right | TODO: in another way
def my_average_9_1(values, weights):
    shares = weights / weights.sum(-1, keepdim=True)
    return torch.einsum("...n,...n->...", shares, values)

# answer: my_average_9_1 | wrong | ignores the weights | The weights make no difference
def my_average_9_1(values, weights):
    return values.mean(-1)

# answer: my_average_9_1 | wrong | squares the weights | You squared the weights
def my_average_9_1(values, weights):
    shares = weights * weights
    return (shares * values).sum(-1) / shares.sum(-1)

# answer: my_average_9_1 | wrong | does not divide | You do not divide by the sum
def my_average_9_1(values, weights):
    return torch.sum(weights * values, dim=-1)

# answer: my_average_9_1 | wrong | divides by the number of values | how many values there are
def my_average_9_1(values, weights):
    return (weights * values).mean(-1)

# answer: my_average_9_1 | wrong | adds along the first axis | You add along the first axis
def my_average_9_1(values, weights):
    return (weights * values).sum(0) / weights.sum(0)

# answer: my_average_9_2 | right | TODO: in one line
def my_average_9_2(values, weights):
    return (weights * values).sum(-1) / weights.sum(-1)

# answer: my_average_9_2 | right | TODO: in another way
def my_average_9_2(values, weights):
    shares = weights / weights.sum(-1, keepdim=True)
    return torch.einsum("...n,...n->...", shares, values)

# answer: my_average_9_2 | wrong | ignores the weights | The weights make no difference
def my_average_9_2(values, weights):
    return values.mean(-1)

# answer: my_average_9_2 | wrong | squares the weights | You squared the weights
def my_average_9_2(values, weights):
    shares = weights * weights
    return (shares * values).sum(-1) / shares.sum(-1)

# answer: my_average_9_2 | wrong | does not divide | You do not divide by the sum
def my_average_9_2(values, weights):
    return torch.sum(weights * values, dim=-1)

# answer: my_average_9_2 | wrong | divides by the number of values | how many values there are
def my_average_9_2(values, weights):
    return (weights * values).mean(-1)

# answer: my_average_9_2 | wrong | adds along the first axis | You add along the first axis
def my_average_9_2(values, weights):
    return (weights * values).sum(0) / weights.sum(0)

# answer: my_average_9_3 | right | TODO: in one line
def my_average_9_3(values, weights):
    return (weights * values).sum(-1) / weights.sum(-1)

# answer: my_average_9_3 | right | TODO: in another way
def my_average_9_3(values, weights):
    shares = weights / weights.sum(-1, keepdim=True)
    return torch.einsum("...n,...n->...", shares, values)

# answer: my_average_9_3 | wrong | ignores the weights | The weights make no difference
def my_average_9_3(values, weights):
    return values.mean(-1)

# answer: my_average_9_3 | wrong | squares the weights | You squared the weights
def my_average_9_3(values, weights):
    shares = weights * weights
    return (shares * values).sum(-1) / shares.sum(-1)

# answer: my_average_9_3 | wrong | does not divide | You do not divide by the sum
def my_average_9_3(values, weights):
    return torch.sum(weights * values, dim=-1)

# answer: my_average_9_3 | wrong | divides by the number of values | how many values there are
def my_average_9_3(values, weights):
    return (weights * values).mean(-1)

# answer: my_average_9_3 | wrong | adds along the first axis | You add along the first axis
def my_average_9_3(values, weights):
    return (weights * values).sum(0) / weights.sum(0)

# answer: my_average_9_4 | right | TODO: in one line
def my_average_9_4(values, weights):
    return (weights * values).sum(-1) / weights.sum(-1)

# answer: my_average_9_4 | right | TODO: in another way
def my_average_9_4(values, weights):
    shares = weights / weights.sum(-1, keepdim=True)
    return torch.einsum("...n,...n->...", shares, values)

# answer: my_average_9_4 | wrong | ignores the weights | The weights make no difference
def my_average_9_4(values, weights):
    return values.mean(-1)

# answer: my_average_9_4 | wrong | squares the weights | You squared the weights
def my_average_9_4(values, weights):
    shares = weights * weights
    return (shares * values).sum(-1) / shares.sum(-1)

# answer: my_average_9_4 | wrong | does not divide | You do not divide by the sum
def my_average_9_4(values, weights):
    return torch.sum(weights * values, dim=-1)

# answer: my_average_9_4 | wrong | divides by the number of values | how many values there are
def my_average_9_4(values, weights):
    return (weights * values).mean(-1)

# answer: my_average_9_4 | wrong | adds along the first axis | You add along the first axis
def my_average_9_4(values, weights):
    return (weights * values).sum(0) / weights.sum(0)

# answer: my_average_9_5 | right | TODO: in one line
def my_average_9_5(values, weights):
    return (weights * values).sum(-1) / weights.sum(-1)

# answer: my_average_9_5 | right | TODO: in another way
def my_average_9_5(values, weights):
    shares = weights / weights.sum(-1, keepdim=True)
    return torch.einsum("...n,...n->...", shares, values)

# answer: my_average_9_5 | wrong | ignores the weights | The weights make no difference
def my_average_9_5(values, weights):
    return values.mean(-1)

# answer: my_average_9_5 | wrong | squares the weights | You squared the weights
def my_average_9_5(values, weights):
    shares = weights * weights
    return (shares * values).sum(-1) / shares.sum(-1)

# answer: my_average_9_5 | wrong | does not divide | You do not divide by the sum
def my_average_9_5(values, weights):
    return torch.sum(weights * values, dim=-1)

# answer: my_average_9_5 | wrong | divides by the number of values | how many values there are
def my_average_9_5(values, weights):
    return (weights * values).mean(-1)

# answer: my_average_9_5 | wrong | adds along the first axis | You add along the first axis
def my_average_9_5(values, weights):
    return (weights * values).sum(0) / weights.sum(0)
