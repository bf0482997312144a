import type { Settings } from '../services/settings/index.ts';
import type { OutsideSources } from './security-headers.ts';

const none: OutsideSources = { scripts: [], frames: [] };

/** The outside scripts that the options switch on: the human check and the Telegram log-in button, nothing else. */
export function outsideSources(settings: Pick<Settings, 'get'>, humanCheckUrl: string): OutsideSources {
  const scripts: string[] = [];
  if (settings.get('TurnstileCheckEnabled')) scripts.push(humanCheckUrl);
  if (settings.get('TelegramOAuthEnabled')) scripts.push('https://telegram.org');
  return scripts.length === 0 ? none : { scripts, frames: [] };
}
