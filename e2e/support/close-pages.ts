import { afterEach, beforeEach } from 'vitest';
import { openContexts } from './browser.ts';

// Pages that tests opened go with them: twenty that stay open draw, ask the server and hold a process each. What was opened
// before the tests of a file is theirs together, and tests that run at once close their pages together.
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
