import type { LucideIcon } from 'lucide-react';

/** One thing the palette leads to or does. */
export interface Entry {
  id: string;
  label: string;
  /** What else it is found by: the other language, an address. */
  keywords?: string;
  detail?: string | undefined;
  icon: LucideIcon;
  run: () => void;
}

export interface EntryGroup {
  title: string;
  entries: readonly Entry[];
}
