// Runs in a worker: Python, NumPy and the course's judge. It asks nothing of any network.
"use strict";
{
  const TYPES = { wasm: "application/wasm", json: "application/json" };
  const PAGES = 16384;  // of 64 kB: Python gets 1 GB, and then a MemoryError
  const grow = WebAssembly.Memory.prototype.grow;
  WebAssembly.Memory.prototype.grow = function (more) {
    if (this.buffer.byteLength / 65536 + more > PAGES) throw new RangeError("no more memory for Python");
    return grow.call(this, more);
  };
  // What could fetch or keep anything: also Python's module js could reach it.
  const TAKEN = ["fetch", "XMLHttpRequest", "WebSocket", "EventSource", "WebTransport", "importScripts", "Worker",
    "indexedDB", "caches", "BroadcastChannel", "RTCPeerConnection"];
  const send = postMessage.bind(self);
  let check = null;

  async function begin({ files, course }) {
    self.fetch = async address => {
      const name = String(address.url ?? address).split("/").pop().split("?")[0];
      if (!files[name]) throw new Error(`there is no ${name}`);
      const headers = { "Content-Type": TYPES[name.split(".").pop()] ?? "application/octet-stream" };
      return new Response(files[name], { status: 200, headers });
    };
    const python = await loadPyodide({ indexURL: "http://python.invalid/", stdout: () => {}, stderr: () => {} });
    await python.loadPackage(["numpy"]);
    for (const [path, text] of Object.entries(course)) {
      const place = `/course/${path}`;
      python.FS.mkdirTree(place.replace(/\/[^/]*$/, ""));
      python.FS.writeFile(place, Uint8Array.from(atob(text), letter => letter.charCodeAt(0)));
    }
    for (const name of TAKEN) Object.defineProperty(self, name, { value: undefined, configurable: false, writable: false });
    check = python.runPython(`
import json, sys
sys.path.insert(0, "/course")
from tools.site.tab import judging
judging.use(json.load(open("/course/exercises.json")))
judging.check`);
  }

  self.onmessage = async ({ data }) => {
    try {
      if (data.files) {
        await begin(data);
        send({ ready: true });
      } else {
        const said = check(data.name, data.code);
        send({ id: data.id, said: said.toJs() });
        said.destroy();
      }
    } catch (error) {
      send({ id: data.id, failed: String(error).slice(-2000) });
    }
  };
}
