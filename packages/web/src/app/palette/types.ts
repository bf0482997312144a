import type { LucideIcon } from 'lucide-react';

/** A page, record or action of the palette. */
export interface Entry {
  id: string;
  label: string;
  /** More search words: the other language, an address. */
  keywords?: string;
  detail?: string | undefined;
  icon: LucideIcon;
  run: () => void;
}

export interface EntryGroup {
  title: string;
  entries: readonly Entry[];
}
