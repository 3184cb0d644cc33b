// Lets @modelcontextprotocol/conformance start on Node 20, which has no fs.globSync: `node --import` this file first.
// The suite names the function in an import, and calls it only in a command that is not used here.
import * as fs from 'node:fs';
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const withGlob = 'data:text/javascript,export * from "node:fs"; export const globSync = () => [];';

export function resolve(specifier, context, next) {
  const isTheirs = specifier === 'fs' && context.parentURL?.includes('@modelcontextprotocol/conformance/');
  return isTheirs ? { url: withGlob, shortCircuit: true } : next(specifier, context);
}

// Node loads this file a second time, in the thread where such rules run.
if (isMainThread && !('globSync' in fs)) register(import.meta.url);
