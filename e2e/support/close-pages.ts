import { afterEach, beforeEach } from 'vitest';
import { openContexts } from './browser.ts';

// Closes the pages that a test opened: twenty open pages render, send requests and hold a process each. Pages opened
// before the tests of a file belong to all of them, and tests that run at the same time close their pages together.
let running = 0;
let earlier = new Set(openContexts());
beforeEach(() => {
  if (running === 0) earlier = new Set(openContexts());
  running += 1;
});
afterEach(async () => {
  running -= 1;
  if (running > 0) return;
  for (const context of openContexts()) if (!earlier.has(context)) await context.close();
});
