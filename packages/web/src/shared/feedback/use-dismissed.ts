import { stored } from '../../lib/storage.ts';

/** Whether a hint was dismissed for good on this device, and a function that dismisses it. */
export function useDismissed(name: string): [hidden: boolean, hide: () => void] {
  const names = stored.hiddenHints.use().split(',').filter(Boolean);
  return [names.includes(name), () => stored.hiddenHints.set([...names, name].join(','))];
}
