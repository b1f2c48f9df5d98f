# @title Set-up: brings the lesson's module `attn_teach`, which this file carries. Run it first.
# The text below is the module as a wheel, a zip file of its source. It is unpacked for this
# session only, where Python does not find the module, and leaves what is installed as it is.
WHEEL = """
{WHEEL}
"""
SHA256 = "{SHA256}"


def set_up():
    import atexit
    import base64
    import hashlib
    import importlib.util
    import io
    import pathlib
    import shutil
    import sys
    import tempfile
    import zipfile

    if sys.version_info < (3, 10):
        raise RuntimeError("this lesson needs Python 3.10 or newer")
    missing = [name for name in ("torch", "matplotlib") if not importlib.util.find_spec(name)]
    if missing:
        missing = " and ".join(missing)
        raise ModuleNotFoundError(f"this lesson needs {missing}: install what is missing first")
    try:
        content = base64.b64decode(WHEEL)
    except ValueError:
        content = b""
    if hashlib.sha256(content).hexdigest() != SHA256:
        raise ValueError("the module in this file is damaged: get the file again")
    wheel = zipfile.ZipFile(io.BytesIO(content))
    found, lesson = map(importlib.util.find_spec, ("attn_teach", "attn_lesson"))
    there = [spec for spec in (found, lesson) if spec and spec.origin]  # else a mere folder
    if len(there) < 2:
        folder = tempfile.mkdtemp(prefix="attn_teach_")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        wheel.extractall(folder)
        sys.path.append(folder)
        importlib.invalidate_caches()
    if found not in there:
        return "attn_teach was unpacked from this file for this session; nothing else changed."
    home = pathlib.Path(found.origin).parent.parent
    files = [name for name in wheel.namelist() if name.startswith(("attn_teach/", "attn_lesson/"))]
    # The tables of answers are packed here; where they are not, they have other files.
    files = [name for name in files if not name.startswith("attn_lesson/lesson")]
    same = all(
        (home / name).is_file() and (home / name).read_bytes() == wheel.read(name) for name in files
    )
    if same:
        return "attn_teach was here already, the same as in this file; nothing was changed."
    return (
        "attn_teach was here already, another version than in this file; it is used as it is. "
        "If results differ or something fails: pip uninstall attn-teach, restart, run again."
    )


print(set_up())
del WHEEL, SHA256, set_up
