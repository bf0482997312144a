import { stored } from '../../lib/storage.ts';

/** Whether something was dismissed for good on this device, and how to do so. */
export function useDismissed(name: string): [hidden: boolean, hide: () => void] {
  const names = stored.hiddenHints.use().split(',').filter(Boolean);
  return [names.includes(name), () => stored.hiddenHints.set([...names, name].join(','))];
}
