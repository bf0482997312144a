import { afterEach } from 'vitest';
import { completeBrowser } from './browser-parts.ts';
import { resetPage } from './render-page.tsx';

// Runs for each file of tests. They share their modules, so what a module does when it is loaded is done for the first file only.
completeBrowser();
afterEach(resetPage);
