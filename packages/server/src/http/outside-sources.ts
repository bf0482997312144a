import type { Settings } from '../services/site/settings/index.ts';
import type { OutsideSources } from './security-headers.ts';

const none: OutsideSources = { scripts: [], frames: [] };

/** The outside script that an option enables: only the human check. */
export function outsideSources(settings: Pick<Settings, 'get'>, humanCheckUrl: string): OutsideSources {
  const scripts: string[] = [];
  if (settings.get('TurnstileCheckEnabled')) scripts.push(humanCheckUrl);
  return scripts.length === 0 ? none : { scripts, frames: [] };
}
