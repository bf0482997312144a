import type { MantineColorSchemeManager } from '@mantine/core';
import { stored } from './storage.ts';

/** Tells Mantine where the choice of light, dark or system is kept (`public/theme.js` reads the same key). */
export function themeModeManager(): MantineColorSchemeManager {
  let unsubscribe = () => {};
  return {
    get: () => stored.themeMode.get(),
    set: (mode) => {
      // Mantine writes back what it is told of; answering that would go on without end.
      if (stored.themeMode.get() !== mode) stored.themeMode.set(mode);
    },
    subscribe: (onUpdate) => {
      unsubscribe = stored.themeMode.subscribe(() => onUpdate(stored.themeMode.get()));
    },
    unsubscribe: () => unsubscribe(),
    clear: () => stored.themeMode.set(undefined),
  };
}
