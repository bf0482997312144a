import { afterEach } from 'vitest';
import { completeBrowser } from './browser-parts.ts';
import { resetPage } from './render-page.tsx';

// Runs for each file of tests. They share their modules, so the side effects of loading a module occur only for the first file.
completeBrowser();
afterEach(resetPage);
