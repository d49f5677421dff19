// Runs a program of wasm32-wasip1 under Node, as cargo's runner: the first argument is the program, the others are its own.
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const [program, ...args] = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args: [program, ...args], env: process.env, preopens: { "/": process.cwd() } });
const module = await WebAssembly.compile(await readFile(program));

// Of threads, of which there are none: older C libraries leave these open. To start one fails, and all else does nothing.
const EAGAIN = 6;
const open = WebAssembly.Module.imports(module).filter(({ module, kind }) => module === "env" && kind === "function");
const env = Object.fromEntries(open.map(({ name }) => [name, () => (name === "pthread_create" ? EAGAIN : 0)]));
process.exit(wasi.start(await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport, env })));
