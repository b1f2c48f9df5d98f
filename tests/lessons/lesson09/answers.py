# answer: my_chances | right | index_put_ on a full table
def my_chances(contexts, letters, num_contexts, num_letters, added):
    counts = torch.full((num_contexts, num_letters), float(added))
    counts.index_put_((contexts, letters), torch.tensor(1.0), accumulate=True)
    return counts / counts.sum(-1, keepdim=True)


# answer: my_chances | right | a plain loop
def my_chances(contexts, letters, num_contexts, num_letters, added):
    table = [[added] * num_letters for _ in range(num_contexts)]
    for c, l in zip(contexts.tolist(), letters.tolist()):
        table[c][l] += 1
    return torch.tensor([[x / sum(row) for x in row] for row in table])


# answer: my_chances | right | bincount of one number for each pair
def my_chances(contexts, letters, num_contexts, num_letters, added):
    pairs = torch.bincount(contexts * num_letters + letters, minlength=num_contexts * num_letters)
    table = pairs.view(num_contexts, num_letters) + added
    return table / table.sum(1, keepdim=True)


# answer: my_chances | right | one-hot products
def my_chances(contexts, letters, num_contexts, num_letters, added):
    C = F.one_hot(contexts, num_contexts).float()
    L = F.one_hot(letters, num_letters).float()
    return F.normalize(C.T @ L + added, p=1, dim=1)


# answer: my_chances | wrong | plus-equals with indices | counts only once
def my_chances(contexts, letters, num_contexts, num_letters, added):
    table = torch.full((num_contexts, num_letters), float(added))
    table[contexts, letters] += 1
    return table / table.sum(-1, keepdim=True)


# answer: my_chances | wrong | nothing added | Nothing is added
def my_chances(contexts, letters, num_contexts, num_letters, added):
    table = torch.zeros(num_contexts, num_letters)
    for c, l in zip(contexts, letters):
        table[c, l] += 1
    return table / table.sum(-1, keepdim=True)


# answer: my_chances | wrong | divides along the columns | Each column sums to 1
def my_chances(contexts, letters, num_contexts, num_letters, added):
    table = torch.full((num_contexts, num_letters), float(added))
    for c, l in zip(contexts, letters):
        table[c, l] += 1
    return table / table.sum(0)


# answer: my_chances | wrong | one sum for all | whole table sums to 1
def my_chances(contexts, letters, num_contexts, num_letters, added):
    table = torch.full((num_contexts, num_letters), float(added))
    for c, l in zip(contexts, letters):
        table[c, l] += 1
    return table / table.sum()


# answer: my_chances | wrong | counts, not chances | divide each row
def my_chances(contexts, letters, num_contexts, num_letters, added):
    table = torch.full((num_contexts, num_letters), float(added))
    for c, l in zip(contexts, letters):
        table[c, l] += 1
    return table


# answer: my_chances | wrong | adds only where nothing was counted | only where the count is 0
def my_chances(contexts, letters, num_contexts, num_letters, added):
    table = torch.zeros(num_contexts, num_letters)
    for c, l in zip(contexts, letters):
        table[c, l] += 1
    table[table == 0] = added
    return table / table.sum(-1, keepdim=True)


# answer: my_chances | wrong | the well-known add-one | add 1 to each count
def my_chances(contexts, letters, num_contexts, num_letters, added):
    table = torch.ones(num_contexts, num_letters)
    for c, l in zip(contexts, letters):
        table[c, l] += 1
    return table / table.sum(-1, keepdim=True)


# answer: my_chances | wrong | smooths after the division | after the division
def my_chances(contexts, letters, num_contexts, num_letters, added):
    table = torch.zeros(num_contexts, num_letters)
    for c, l in zip(contexts, letters):
        table[c, l] += 1
    return table / table.sum(-1, keepdim=True) + added


# answer: my_chances | wrong | letters down | letters down
def my_chances(contexts, letters, num_contexts, num_letters, added):
    table = torch.full((num_letters, num_contexts), float(added))
    for c, l in zip(contexts, letters):
        table[l, c] += 1
    return table / table.sum(0)


# answer: my_letter_loss | right | gather and a boolean index
def my_letter_loss(scores, targets, lengths):
    log_p = scores.log_softmax(-1).gather(-1, targets[..., None]).squeeze(-1)
    real = torch.arange(targets.shape[1]) < lengths[:, None]
    return -log_p[real].mean()


# answer: my_letter_loss | right | cross_entropy with ignored places
def my_letter_loss(scores, targets, lengths):
    masked = targets.clone()
    for b, length in enumerate(lengths.tolist()):
        masked[b, length:] = -100
    return F.cross_entropy(scores.flatten(0, 1), masked.flatten())


# answer: my_letter_loss | right | loops over names and letters
def my_letter_loss(scores, targets, lengths):
    total, count = 0.0, 0
    for b in range(len(targets)):
        for t in range(int(lengths[b])):
            total = total - torch.log_softmax(scores[b, t], 0)[targets[b, t]]
            count += 1
    return total / count


# answer: my_letter_loss | right | weighted sum
def my_letter_loss(scores, targets, lengths):
    each = F.cross_entropy(scores.transpose(1, 2), targets, reduction="none")
    mask = (torch.arange(each.shape[1])[None] < lengths[:, None]).float()
    return (each * mask).sum() / mask.sum()


# answer: my_letter_loss | wrong | everything counts | The padding counts too
def my_letter_loss(scores, targets, lengths):
    return F.cross_entropy(scores.flatten(0, 1), targets.flatten())


# answer: my_letter_loss | wrong | mean of means | a letter of a short name counts more
def my_letter_loss(scores, targets, lengths):
    each = F.cross_entropy(scores.transpose(1, 2), targets, reduction="none")
    return torch.stack([each[b, : lengths[b]].mean() for b in range(len(each))]).mean()


# answer: my_letter_loss | wrong | forgets the minus | sign is wrong
def my_letter_loss(scores, targets, lengths):
    log_p = scores.log_softmax(-1).gather(-1, targets[..., None]).squeeze(-1)
    real = torch.arange(targets.shape[1]) < lengths[:, None]
    return log_p[real].mean()


# answer: my_letter_loss | wrong | zeroes padding, then mean | divide by all places
def my_letter_loss(scores, targets, lengths):
    each = F.cross_entropy(scores.transpose(1, 2), targets, reduction="none")
    real = torch.arange(targets.shape[1]) < lengths[:, None]
    return (each * real).mean()


# answer: my_letter_loss | wrong | less or equal | first one of the padding
def my_letter_loss(scores, targets, lengths):
    log_p = scores.log_softmax(-1).gather(-1, targets[..., None]).squeeze(-1)
    real = torch.arange(targets.shape[1]) <= lengths[:, None]
    return -log_p[real].mean()


# answer: my_letter_loss | wrong | sums | Divide it by the number of real letters
def my_letter_loss(scores, targets, lengths):
    log_p = scores.log_softmax(-1).gather(-1, targets[..., None]).squeeze(-1)
    real = torch.arange(targets.shape[1]) < lengths[:, None]
    return -log_p[real].sum()


# answer: my_letter_loss | wrong | softmax over places | along the places
def my_letter_loss(scores, targets, lengths):
    log_p = scores.log_softmax(1).gather(-1, targets[..., None]).squeeze(-1)
    real = torch.arange(targets.shape[1]) < lengths[:, None]
    return -log_p[real].mean()


# answer: my_letter_loss | wrong | per name | a number for each name
def my_letter_loss(scores, targets, lengths):
    log_p = scores.log_softmax(-1).gather(-1, targets[..., None]).squeeze(-1)
    real = (torch.arange(targets.shape[1]) < lengths[:, None]).float()
    return -(log_p * real).sum(1) / lengths


# answer: my_letter_loss | wrong | bits | base 2
def my_letter_loss(scores, targets, lengths):
    log_p = scores.softmax(-1).log2().gather(-1, targets[..., None]).squeeze(-1)
    real = torch.arange(targets.shape[1]) < lengths[:, None]
    return -log_p[real].mean()


# answer: my_tempered | right | log and softmax
def my_tempered(chances, temperature):
    return torch.softmax(chances.log() / temperature, -1)


# answer: my_tempered | right | a power, scaled
def my_tempered(chances, temperature):
    p = chances ** (1 / temperature)
    return p / p.sum(-1, keepdim=True)


# answer: my_tempered | wrong | divides chances | has nothing changed
def my_tempered(chances, temperature):
    p = chances / temperature
    return p / p.sum(-1, keepdim=True)


# answer: my_tempered | wrong | multiplies | You multiply by the temperature
def my_tempered(chances, temperature):
    return (chances.log() * temperature).softmax(-1)


# answer: my_tempered | wrong | power of the temperature | You multiply by the temperature
def my_tempered(chances, temperature):
    p = chances**temperature
    return p / p.sum(-1, keepdim=True)


# answer: my_tempered | wrong | softmax of chances | softmax of the chances
def my_tempered(chances, temperature):
    return (chances / temperature).softmax(-1)


# answer: my_tempered | wrong | not scaled again | do not sum to 1
def my_tempered(chances, temperature):
    return chances ** (1 / temperature)


# answer: my_tempered | wrong | scaled along the first axis | along the first axis
def my_tempered(chances, temperature):
    p = chances ** (1 / temperature)
    return p / p.sum(0)


# answer: my_country | right | one line
def my_country(log_chances, prior):
    return (log_chances.sum(1) + prior.log()).softmax(0)


# answer: my_country | right | with logsumexp
def my_country(log_chances, prior):
    joint = log_chances.sum(-1) + torch.log(prior)
    return torch.exp(joint - torch.logsumexp(joint, 0))


# answer: my_country | right | largest taken away first
def my_country(log_chances, prior):
    joint = log_chances.sum(-1)
    joint = torch.exp(joint - joint.max()) * prior
    return joint / joint.sum()


# answer: my_country | wrong | mean of the letters | mean over the letters
def my_country(log_chances, prior):
    return (log_chances.mean(-1) + prior.log()).softmax(-1)


# answer: my_country | wrong | no prior | The prior makes no difference
def my_country(log_chances, prior):
    return log_chances.sum(-1).softmax(-1)


# answer: my_country | wrong | prior without logarithm | Add its logarithm
def my_country(log_chances, prior):
    return (log_chances.sum(-1) + prior).softmax(-1)


# answer: my_country | wrong | product of chances | too small for a float
def my_country(log_chances, prior):
    joint = log_chances.exp().prod(-1) * prior
    return joint / joint.sum()


# answer: my_country | wrong | softmax before the prior | before the prior comes in
def my_country(log_chances, prior):
    return log_chances.sum(-1).softmax(-1) * prior


# answer: my_country | wrong | the likeliest alone | How likely each one is
def my_country(log_chances, prior):
    best = (log_chances.sum(-1) + prior.log()).argmax()
    return F.one_hot(best, len(prior)).float()


# answer: my_country | wrong | stays with logarithms | These are logarithms
def my_country(log_chances, prior):
    return (log_chances.sum(-1) + prior.log()).log_softmax(-1)


# answer: my_country | wrong | prior for each letter | once for each letter
def my_country(log_chances, prior):
    return (log_chances + prior.log()[:, None]).sum(-1).softmax(-1)


# answer: my_known | right | broadcasting
def my_known(learned, held):
    return (held[:, None, 1:] == learned[None, :, 1:]).all(-1).any(-1)


# answer: my_known | right | a set of tuples
def my_known(learned, held):
    known = {tuple(row[1:]) for row in learned.tolist()}
    return torch.tensor([tuple(row[1:]) in known for row in held.tolist()])


# answer: my_known | right | a loop
def my_known(learned, held):
    out = torch.zeros(len(held), dtype=torch.bool)
    for i, a in enumerate(held):
        for b in learned:
            if torch.equal(a[1:], b[1:]):
                out[i] = True
    return out


# answer: my_known | wrong | whole rows | You compare whole rows
def my_known(learned, held):
    known = {tuple(row) for row in learned.tolist()}
    return torch.tensor([tuple(row) in known for row in held.tolist()])


# answer: my_known | wrong | any token | One equal token is enough
def my_known(learned, held):
    return (held[:, None, 1:] == learned[None, :, 1:]).any(-1).any(-1)


# answer: my_known | wrong | any name for each token | not all with the same one
def my_known(learned, held):
    return (held[:, None, 1:] == learned[None, :, 1:]).any(1).all(-1)


# answer: my_known | wrong | sets of letters in order lost | whatever their order
def my_known(learned, held):
    known = {tuple(sorted(row[1:])) for row in learned.tolist()}
    return torch.tensor([tuple(sorted(row[1:])) in known for row in held.tolist()])


# answer: my_known | wrong | the other way round | for each learned row
def my_known(learned, held):
    known = {tuple(row[1:]) for row in held.tolist()}
    return torch.tensor([tuple(row[1:]) in known for row in learned.tolist()])


# answer: my_known | wrong | new ones | True where the name is new
def my_known(learned, held):
    known = {tuple(row[1:]) for row in learned.tolist()}
    return torch.tensor([tuple(row[1:]) not in known for row in held.tolist()])


# answer: my_known | wrong | asks for another country | with the same country is known as well
def my_known(learned, held):
    same = (held[:, None, 1:] == learned[None, :, 1:]).all(-1)
    return (same & (held[:, None, 0] != learned[None, :, 0])).any(-1)


# answer: my_known | wrong | counts them | how many there are
def my_known(learned, held):
    return (held[:, None, 1:] == learned[None, :, 1:]).all(-1).any(-1).sum()


# answer: my_chances | wrong | spreads what is added | divide `added` among the letters
def my_chances(contexts, letters, num_contexts, num_letters, added):
    counts = torch.bincount(contexts * num_letters + letters, minlength=num_contexts * num_letters)
    counts = counts.reshape(num_contexts, num_letters) + added / num_letters
    return counts / counts.sum(-1, keepdim=True)


# answer: my_chances | wrong | the wrong stride | context * num_letters + letter
def my_chances(contexts, letters, num_contexts, num_letters, added):
    flat = torch.bincount(letters * num_contexts + contexts, minlength=num_contexts * num_letters)
    counts = flat.reshape(num_contexts, num_letters) + float(added)
    return counts / counts.sum(-1, keepdim=True)


# answer: my_chances | wrong | smooths the shares | You add to the shares
def my_chances(contexts, letters, num_contexts, num_letters, added):
    counts = torch.zeros(num_contexts, num_letters)
    counts.index_put_((contexts, letters), torch.ones(len(letters)), accumulate=True)
    shares = counts / counts.sum(-1, keepdim=True).clamp(min=1) + added
    return shares / shares.sum(-1, keepdim=True)


# answer: my_letter_loss | wrong | shifts once more | holds the next tokens already
def my_letter_loss(scores, targets, lengths):
    log_p = scores[:, :-1].log_softmax(-1).gather(-1, targets[:, 1:, None]).squeeze(-1)
    real = torch.arange(1, targets.shape[1]) < lengths[:, None]
    return -log_p[real].mean()


# answer: my_letter_loss | wrong | logarithm of the mean chance | logarithm of the mean chance
def my_letter_loss(scores, targets, lengths):
    p = scores.softmax(-1).gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    real = torch.arange(targets.shape[1]) < lengths[:, None]
    return -p[real].mean().log()


# answer: my_tempered | wrong | one sum for all rows | sum of all rows
def my_tempered(chances, temperature):
    p = chances ** (1 / temperature)
    return p / p.sum()


# answer: my_country | wrong | 64 bits | too small for a float
def my_country(log_chances, prior):
    joint = log_chances.double().sum(-1).exp() * prior.double()
    return (joint / joint.sum()).to(prior.dtype)


# answer: my_country | wrong | a floor under the logarithm | You set a floor
def my_country(log_chances, prior):
    joint = log_chances.sum(-1).clamp(min=-80).exp() * prior
    return joint / joint.sum()


# answer: my_country | right | letter by letter
def my_country(log_chances, prior):
    belief = prior.log()
    for column in log_chances.unbind(1):
        belief = belief + column
        belief = belief - belief.logsumexp(0)
    return belief.exp()


# answer: my_known | wrong | numbers of base 10 | two names can share it
def my_known(learned, held):
    base = 10 ** torch.arange(held.shape[1] - 1)
    return torch.isin((held[:, 1:] * base).sum(-1), (learned[:, 1:] * base).sum(-1))


# answer: my_chances | wrong | added in the numerator only | You add to the counts, and divide by their sum as it was
def my_chances(contexts, letters, num_contexts, num_letters, added):
    counts = torch.zeros(num_contexts, num_letters)
    counts.index_put_((contexts, letters), torch.tensor(1.0), accumulate=True)
    return (counts + added) / counts.sum(-1, keepdim=True)


# answer: my_chances | wrong | added once to the sum | `added` is added to each count, but only once to their sum
def my_chances(contexts, letters, num_contexts, num_letters, added):
    counts = torch.zeros(num_contexts, num_letters)
    counts.index_put_((contexts, letters), torch.tensor(1.0), accumulate=True)
    return (counts + added) / (counts.sum(-1, keepdim=True) + added)


# answer: my_chances | wrong | the number of contexts in the sum | The sum of a row has `added` in it num_letters times, one
def my_chances(contexts, letters, num_contexts, num_letters, added):
    counts = torch.zeros(num_contexts, num_letters)
    counts.index_put_((contexts, letters), torch.tensor(1.0), accumulate=True)
    return (counts + added) / (counts.sum(-1, keepdim=True) + added * num_contexts)


# answer: my_chances | wrong | the other wrong stride | You number a pair in another way than the table is laid
def my_chances(contexts, letters, num_contexts, num_letters, added):
    flat = torch.bincount(contexts * num_contexts + letters, minlength=num_contexts * num_letters)
    counts = flat[: num_contexts * num_letters].view(num_contexts, num_letters) + added
    return counts / counts.sum(-1, keepdim=True)


# answer: my_chances | wrong | letters first, by the number of letters | You number a pair in another way than the table is laid
def my_chances(contexts, letters, num_contexts, num_letters, added):
    flat = torch.bincount(letters * num_letters + contexts, minlength=num_contexts * num_letters)
    counts = flat[: num_contexts * num_letters].view(num_contexts, num_letters) + added
    return counts / counts.sum(-1, keepdim=True)


# answer: my_tempered | wrong | whole division in the power | You divide 1 by the temperature with //, which cuts the
def my_tempered(chances, temperature):
    p = chances.pow(1 // temperature)
    return p / p.sum(-1, keepdim=True)


# answer: my_known | wrong | isin on slices | .contiguous() copies them into line
def my_known(learned, held):
    return torch.isin(held[:, 1:], learned[:, 1:]).all(-1)


# answer: my_chances | wrong | table[contexts, letters] += 1 adds 1 only once where the same pair comes several times | A pair that comes several times counts only once
def my_chances(contexts, letters, num_contexts, num_letters, added):
    counts = torch.zeros(num_contexts, num_letters)
    counts[contexts, letters] += 1
    counts += added
    return counts / counts.sum(1, keepdim=True)


# answer: my_chances | wrong | adds `added` only once to the total of a row, not once for each letter, so the rows do not sum to 1 | `added` is added to each count, but only once to their sum
def my_chances(contexts, letters, num_contexts, num_letters, added):
    counts = torch.zeros(num_contexts, num_letters)
    for context, letter in zip(contexts.tolist(), letters.tolist()):
        counts[context, letter] += 1
    totals = counts.sum(1, keepdim=True)
    return (counts + added) / (totals + added)


# answer: my_letter_loss | wrong | averages within each name first and then over the names, so the letters of short names count more | You take the mean of each name and then the mean of the
def my_letter_loss(scores, targets, lengths):
    losses = []
    for row, wanted, n in zip(scores, targets, lengths.tolist()):
        losses.append(F.cross_entropy(row[:n], wanted[:n]))
    return torch.stack(losses).mean()


# answer: my_letter_loss | wrong | place number lengths[b] counts too (<= in place of <), so the first place of padding is in the mean | One place too many counts: place `lengths[b]` is the first
def my_letter_loss(scores, targets, lengths):
    logs = scores.log_softmax(-1).gather(-1, targets[..., None]).squeeze(-1)
    real = torch.arange(targets.shape[1]) <= lengths[:, None]
    return -logs[real].mean()


# answer: my_tempered | wrong | raises the chances to the power temperature in place of 1 / temperature, so warm and cold are exchanged | You multiply by the temperature: 0.5 should make the
def my_tempered(chances, temperature):
    powers = chances**temperature
    return powers / powers.sum(-1, keepdim=True)


# answer: my_tempered | wrong | divides by the sum over all rows together, not by each row's own sum; right for a single row | You divide by the sum of all rows. Each row sums to 1 on
def my_tempered(chances, temperature):
    logs = chances.log() / temperature
    powers = (logs - logs.amax(-1, keepdim=True)).exp()
    return powers / powers.sum()


# answer: my_country | wrong | takes the mean of the letters' log chances in place of their sum, so long names count as a single letter | You take the mean over the letters, so the letters count
def my_country(log_chances, prior):
    return (log_chances.mean(1) + prior.log()).softmax(0)


# answer: my_country | wrong | leaves the logarithms too early: the exponentials of the sums become 0 for long names, and the result is 0/0 | For a long name the product of the chances is too small for
def my_country(log_chances, prior):
    joint = log_chances.sum(-1).exp() * prior
    return joint / joint.sum()


# answer: my_known | wrong | compares the country in column 0 too, so a name learned with another country is not found | You compare whole rows, the country too, so that a town of
def my_known(learned, held):
    seen = {tuple(row) for row in learned.tolist()}
    return torch.tensor([tuple(row) in seen for row in held.tolist()], dtype=torch.bool)


# answer: my_known | wrong | asks for each token whether some learned row has it at this place, and only then for all tokens (any before all), so tokens of different rows together make a name known | Each token agrees with some learned name, but not all with
def my_known(learned, held):
    same = held[:, None, 1:] == learned[None, :, 1:]
    return same.any(1).all(-1)


# answer: my_tempered | right, no remark | takes powers in 64 bits of each chance over the largest of its row
def my_tempered(chances, temperature):
    likeliest, _ = chances.double().max(-1, keepdim=True)
    powers = (chances.double() / likeliest).pow(1 / temperature)
    return torch.nn.functional.normalize(powers, p=1, dim=-1).to(chances.dtype)


# answer: my_country | right, no remark | reads the name letter by letter and brings the chances, kept as logs, back to a sum of 1 after each
def my_country(log_chances, prior):
    belief = prior.log()
    for letter in log_chances.unbind(1):
        belief = belief + letter
        belief = belief - belief.logsumexp(0)
    return belief.exp()


# answer: my_known | right, no remark | numbers the different names of both lists with unique and looks the numbers of the held ones up with isin
def my_known(learned, held):
    names = torch.cat([learned, held])[:, 1:]
    _, label = names.unique(dim=0, return_inverse=True)
    return torch.isin(label[len(learned) :], label[: len(learned)])


# answer: my_chances | wrong | written into the table of added, once for each pair | A pair that came gets 1, and any other `added`: what is
def my_chances(contexts, letters, num_contexts, num_letters, added):
    table = torch.full((num_contexts, num_letters), float(added))
    table[contexts, letters] = 1.0
    return table / table.sum(1, keepdim=True)


# answer: my_tempered | wrong | axis 1 | Your numbers sum to 1 along the last axis but one; they
def my_tempered(chances, temperature):
    logs = chances.log() / temperature
    return logs.softmax(1 if logs.dim() > 1 else 0)


# answer: my_tempered | wrong | the last axis but one | You divide along the axis before the last one. Each row
def my_tempered(chances, temperature):
    return (chances.log() / temperature).softmax(-2)


# answer: my_country | wrong | the largest is 1 | The likeliest country has 1, so the chances do not sum to
def my_country(log_chances, prior):
    joint = log_chances.sum(-1) + prior.log()
    return (joint - joint.max()).exp()


# answer: my_known | wrong | from column 2 on | The first token of the name is not compared: column 0 is
def my_known(learned, held):
    same = held[:, None, 2:] == learned[None, :, 2:]
    return same.all(-1).any(-1)


# answer: my_chances | wrong | An indexed += counts a pair that stands in the list several times only once. | A pair that comes several times counts only once.
def my_chances(contexts, letters, num_contexts, num_letters, added):
    counts = torch.full((num_contexts, num_letters), float(added))
    counts[contexts, letters] += 1
    return counts / counts.sum(1, keepdim=True)


# answer: my_letter_loss | wrong | A small number is added to p before the logarithm, so a very unlikely letter costs too little. | In your logarithm stands a small number, 1e-08, added or
def my_letter_loss(scores, targets, lengths):
    p = scores.softmax(-1).gather(-1, targets[..., None]).squeeze(-1)
    real = torch.arange(targets.shape[1]) < lengths[:, None]
    return -(p[real] + 1e-8).log().mean()


# answer: my_tempered | wrong | The chances are raised to the temperature and not to 1 / temperature: warm and cold are exchanged. | You multiply by the temperature: 0.5 should make the
def my_tempered(chances, temperature):
    return (chances.log() * temperature).softmax(-1)


# answer: my_country | wrong | The prior itself is added to the sums of logs, where its logarithm belongs. | You add the prior to logarithms. Add its logarithm.
def my_country(log_chances, prior):
    return (log_chances.sum(1) + prior).softmax(0)


# answer: my_known | wrong | The number of the country is compared as well, so a name learned from another country does not count. | You compare whole rows, the country too, so that a town
def my_known(learned, held):
    equal = held[:, None, :] == learned[None, :, :]
    return equal.all(-1).any(1)


# answer: my_country | right | updates the belief after each letter, in logs, and scales it to a sum of 1 each time
def my_country(log_chances, prior):
    belief = prior.log()
    for seen in log_chances.unbind(1):
        belief = belief + seen
        belief = belief - belief.logsumexp(0)
    return belief.exp()


# answer: my_known | right | puts the learned names as tuples into a Python set
def my_known(learned, held):
    names = {tuple(row) for row in learned[:, 1:].tolist()}
    return torch.tensor([tuple(row) in names for row in held[:, 1:].tolist()], dtype=torch.bool)


# answer: my_letter_loss | wrong | a floor under p | In your logarithm stands a small number, 1e-12, added or
def my_letter_loss(scores, targets, lengths):
    p = scores.softmax(-1).gather(-1, targets[..., None]).squeeze(-1).clamp(1e-12, 1)
    real = torch.arange(targets.shape[1]) < lengths[:, None]
    return -p[real].log().mean()


# answer: my_letter_loss | right | softmax, then its logarithm
def my_letter_loss(scores, targets, lengths):
    p = scores.softmax(-1).gather(-1, targets[..., None]).squeeze(-1)
    real = torch.arange(targets.shape[1]) < lengths[:, None]
    return -p[real].log().mean()


# answer: my_tempered | wrong | a small number in the logarithm | In your logarithm stands a small number, 1e-09, added or
def my_tempered(chances, temperature):
    return ((chances + 1e-9).log() / temperature).softmax(-1)


# answer: my_country | wrong | a small number in the logarithm of the prior | In your logarithm stands a small number, 1e-08, added or
def my_country(log_chances, prior):
    return (log_chances.sum(1) + (prior + 1e-8).log()).softmax(0)


# answer: my_next_token | right | counts the ends below u
def my_next_token(scores, temperature, u):
    ends = (scores / temperature).softmax(-1).cumsum(-1)
    return (ends <= u.unsqueeze(-1)).sum(-1)


# answer: my_next_token | right | the first end above u
def my_next_token(scores, temperature, u):
    p = torch.softmax(scores / temperature, dim=1)
    return (p.cumsum(1) > u[:, None]).int().argmax(1)


# answer: my_next_token | right | loops, with a rest
def my_next_token(scores, temperature, u):
    tokens = []
    for row, rest in zip(scores, u.tolist()):
        for token, chance in enumerate((row / temperature).softmax(0).tolist()):
            rest -= chance
            if rest < 0:
                break
        tokens.append(token)
    return torch.tensor(tokens)


# answer: my_next_token | right | exponentials against u times their sum
def my_next_token(scores, temperature, u):
    powers = ((scores - scores.amax(-1, keepdim=True)) / temperature).exp().cumsum(-1)
    return (powers < u[:, None] * powers[:, -1:]).sum(-1)


# answer: my_next_token | right | each end beside each beginning
def my_next_token(scores, temperature, u):
    p = F.softmax(scores / temperature, dim=-1)
    ends = p.cumsum(-1)
    inside = (ends - p <= u[:, None]) & (u[:, None] < ends)
    return inside.float().argmax(-1)


# answer: my_next_token | wrong | the temperature multiplies | They are divided by it
def my_next_token(scores, temperature, u):
    return ((scores * temperature).softmax(-1).cumsum(-1) < u[:, None]).sum(-1)


# answer: my_next_token | wrong | no temperature | The temperature makes no difference
def my_next_token(scores, temperature, u):
    return (scores.softmax(-1).cumsum(-1) < u[:, None]).sum(-1)


# answer: my_next_token | wrong | chances over temperature | You divide the chances by the temperature
def my_next_token(scores, temperature, u):
    p = scores.softmax(-1) / temperature
    return (p.cumsum(-1) < u[:, None]).sum(-1)


# answer: my_next_token | wrong | softmax twice | You take the softmax twice
def my_next_token(scores, temperature, u):
    p = (scores.softmax(-1) / temperature).softmax(-1)
    return (p.cumsum(-1) < u[:, None]).sum(-1)


# answer: my_next_token | wrong | greedy | You take the likeliest token, whatever
def my_next_token(scores, temperature, u):
    return (scores / temperature).argmax(-1)


# answer: my_next_token | wrong | the last end below u | one too early
def my_next_token(scores, temperature, u):
    ends = (scores / temperature).softmax(-1).cumsum(-1)
    return (ends < u[:, None]).sum(-1) - 1


# answer: my_next_token | wrong | the comparison turned | that end above
def my_next_token(scores, temperature, u):
    ends = (scores / temperature).softmax(-1).cumsum(-1)
    return (ends > u[:, None]).sum(-1)


# answer: my_next_token | wrong | the nearest end | ends nearest to
def my_next_token(scores, temperature, u):
    ends = (scores / temperature).softmax(-1).cumsum(-1)
    return (ends - u[:, None]).abs().argmin(-1)


# answer: my_next_token | wrong | the nearest chance | whose chance is nearest
def my_next_token(scores, temperature, u):
    p = (scores / temperature).softmax(-1)
    return (p - u[:, None]).abs().argmin(-1)


# answer: my_next_token | wrong | the first chance above u | whose own chance is above
def my_next_token(scores, temperature, u):
    p = (scores / temperature).softmax(-1)
    return (p > u[:, None]).int().argmax(-1)


# answer: my_next_token | wrong | sorted, and mapped back | You sort the tokens
def my_next_token(scores, temperature, u):
    p, tokens = (scores / temperature).softmax(-1).sort(-1, descending=True)
    rank = (p.cumsum(-1) < u[:, None]).sum(-1, keepdim=True)
    return tokens.gather(-1, rank).squeeze(-1)


# answer: my_next_token | wrong | sorted, the rank | the rank of a token
def my_next_token(scores, temperature, u):
    p, _ = (scores / temperature).softmax(-1).sort(-1, descending=True)
    return (p.cumsum(-1) < u[:, None]).sum(-1)


# answer: my_next_token | wrong | equal stretches | an equal stretch
def my_next_token(scores, temperature, u):
    return (u * scores.shape[-1]).long()


# answer: my_next_token | wrong | softmax over the names | Your softmax runs along the names
def my_next_token(scores, temperature, u):
    p = (scores / temperature).softmax(0)
    return (p.cumsum(-1) < u[:, None]).sum(-1)


# answer: my_next_token | wrong | exponentials, not divided | do not end at 1
def my_next_token(scores, temperature, u):
    p = (scores / temperature).exp()
    return (p.cumsum(-1) < u[:, None]).sum(-1)


# answer: my_next_token | wrong | one u for all | You use the first
def my_next_token(scores, temperature, u):
    p = (scores / temperature).softmax(-1)
    return (p.cumsum(-1) < u[0]).sum(-1)


# answer: my_next_token | wrong | the running sum down the names | running sum goes down the names
def my_next_token(scores, temperature, u):
    p = (scores / temperature).softmax(-1)
    return (p.cumsum(0) < u[:, None]).sum(-1)


# answer: my_next_token | wrong | from the end | from 1 downwards
def my_next_token(scores, temperature, u):
    p = (scores / temperature).softmax(-1)
    return (p.cumsum(-1) < 1 - u[:, None]).sum(-1)


# answer: my_next_token | wrong | the chance of the token | Its number is asked for
def my_next_token(scores, temperature, u):
    p = (scores / temperature).softmax(-1)
    token = (p.cumsum(-1) < u[:, None]).sum(-1, keepdim=True)
    return p.gather(-1, token).squeeze(-1)


# answer: my_next_token | wrong | u without an axis | axis
def my_next_token(scores, temperature, u):
    return ((scores / temperature).softmax(-1).cumsum(-1) < u).sum(-1)


# answer: my_country | wrong | the logarithms times the prior | multiply logarithms by the prior
def my_country(log_chances, prior):
    return (log_chances.sum(1) * prior).softmax(0)


# answer: my_known | wrong | isin of all tokens | stands anywhere in the learned names
def my_known(learned, held):
    return torch.isin(held[:, 1:].contiguous(), learned[:, 1:].contiguous()).all(-1)


# answer: my_known | wrong | compares sums of tokens | two names can have the same sum
def my_known(learned, held):
    return (learned[None, :, 1:].sum(-1) == held[:, None, 1:].sum(-1)).any(-1)

# answer: my_chances | wrong | a context without examples stays at 0 | has a row of zeros
def my_chances(contexts, letters, num_contexts, num_letters, added):
    counts = torch.zeros(num_contexts, num_letters)
    counts.index_put_((contexts, letters), torch.tensor(1.0), accumulate=True)
    seen = counts.sum(-1, keepdim=True) > 0
    counts = counts + added * seen
    return counts / counts.sum(-1, keepdim=True).clamp(min=1e-9)

# answer: my_letter_loss | wrong | the softmax twice | You take the softmax twice
def my_letter_loss(scores, targets, lengths):
    log_p = scores.softmax(-1).log_softmax(-1).gather(-1, targets[..., None]).squeeze(-1)
    real = torch.arange(targets.shape[1]) < lengths[:, None]
    return -log_p[real].mean()

# answer: my_letter_loss | wrong | the first place left out | The first letter of each name is left out
def my_letter_loss(scores, targets, lengths):
    log_p = scores.log_softmax(-1).gather(-1, targets[..., None]).squeeze(-1)
    real = torch.arange(targets.shape[1]) < lengths[:, None]
    return -log_p[:, 1:][real[:, 1:]].mean()

# answer: my_country | wrong | a softmax over the letters | your result is the prior
def my_country(log_chances, prior):
    return (log_chances.softmax(-1).sum(-1) + prior.log()).softmax(-1)

# answer: my_country | wrong | a logarithm of base 2 for the prior | Your logarithm of the prior has base 2
def my_country(log_chances, prior):
    return (log_chances.sum(-1) + prior.log2()).softmax(-1)

# answer: my_country | wrong | the likeliest letter alone | Only the likeliest letter of the name counts
def my_country(log_chances, prior):
    return (log_chances.amax(-1) + prior.log()).softmax(-1)


# answer: my_chances | wrong | nothing added, rows that are no number set to 0 | Nothing is added
def my_chances(contexts, letters, num_contexts, num_letters, added):
    counts = torch.zeros(num_contexts, num_letters)
    counts.index_put_((contexts, letters), torch.tensor(1.0), accumulate=True)
    return (counts / counts.sum(-1, keepdim=True)).nan_to_num(0)


# answer: my_next_token | right | looks for each u in the ends of its row
def my_next_token(scores, temperature, u):
    ends = (scores / temperature).softmax(-1).cumsum(-1)
    return torch.searchsorted(ends, u[:, None]).squeeze(1)


# answer: my_next_token | right | searchsorted from the other side, on contiguous rows
def my_next_token(scores, temperature, u):
    ends = torch.cumsum(F.softmax(scores / temperature, dim=1), dim=1).contiguous()
    return torch.searchsorted(ends, u.unsqueeze(1), right=True)[:, 0]


# answer: my_country | wrong | a softmax over the letters, as if these were scores | softmax over the letters
def my_country(log_chances, prior):
    letters = log_chances.softmax(-1).log()
    return (letters.sum(-1) + prior.log()).softmax(-1)
