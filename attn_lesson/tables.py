"""Numbers side by side: text where a notebook is compared, a table where it is read."""

from collections.abc import Mapping, Sequence
from html import escape


class Table:
    """What `table` returns: notebooks and pages show a table, everything else text."""

    def __init__(self, lines):
        self.lines = lines  # the first holds the columns' names
        columns = list(zip(*lines[1:], strict=True))
        self.sides = ["right" if all(map(_is_number, column)) else "left" for column in columns]

    def __repr__(self):
        widths = [max(map(len, column)) for column in zip(*self.lines, strict=True)]
        signs = [{"right": ">", "left": "<"}[side] for side in self.sides]
        form = "  ".join(f"{{:{sign}{n}}}" for sign, n in zip(signs, widths, strict=True))
        return "\n".join(form.format(*line).rstrip() for line in self.lines if any(line))

    def _repr_html_(self):
        head, *body = self.lines
        rows = [self._row(head, "col", "col")] if any(head) else []
        rows += [self._row(line, "row", None) for line in body]
        return "<table>\n" + "\n".join(rows) + "\n</table>"

    def _row(self, line, first, others):
        cells = []
        for k, (text, side) in enumerate(zip(line, self.sides, strict=True)):
            scope = (first if k == 0 else others) if text else None
            tag = f'th scope="{scope}"' if scope else "td"
            cells.append(f'<{tag} style="text-align: {side}">{_as_html(text)}</{tag[:2]}>')
        return f"<tr>{''.join(cells)}</tr>"


def _as_html(text):
    """Escaped, and with all of its spaces, of which a page would show one."""
    return escape(text).replace("  ", "\xa0 ").replace("  ", " \xa0")


def table(rows, columns=(), name="", digits=2):
    """Return the rows as a table.

    Args:
        rows: of each row's name a dict {column: value}, a sequence of values, or one value. What a
            row does not have stays empty.
        columns: the columns' names, where rows are no dicts.
        name: what the rows' names are names of.
        digits: how many decimals a float is shown with.

    Raises:
        TypeError: rows are not a dict.
        ValueError: there are no rows, or columns do not name all values of a row.
    """
    if not isinstance(rows, Mapping) or not rows:
        raise TypeError(f"rows must be a dict {{name: row}} that is not empty, got {rows!r:.60}")
    cells = [_cells(row, columns) for row in rows.values()]
    keys = list(dict.fromkeys(key for row in cells for key in row))
    head = [name, *("" if isinstance(key, _Unnamed) else str(key) for key in keys)]
    body = [
        [str(label), *(_text(row.get(key, ""), digits) for key in keys)]
        for label, row in zip(rows, cells, strict=True)
    ]
    return Table([head, *body])


class _Unnamed(int):
    """The place of a column without a name."""


def _cells(row, columns):
    """Return a row as a dict of its columns."""
    if isinstance(row, Mapping):
        return row
    if hasattr(row, "tolist"):  # a tensor's or an array's
        row = row.tolist()
    if isinstance(row, str) or not isinstance(row, Sequence):
        row = [row]
    if columns and len(columns) != len(row):
        raise ValueError(f"columns must name each value of a row: {len(columns)} for {len(row)}")
    return dict(zip(columns or map(_Unnamed, range(len(row))), row, strict=True))


def _text(value, digits):
    if hasattr(value, "item"):
        value = value.item()
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def _is_number(text):
    try:
        float(text.replace(",", "").rstrip("%") or 0)
    except ValueError:
        return False
    return True
