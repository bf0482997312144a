import {
  declarationOf,
  settingGroups,
  type SettingKey,
  type SettingTab,
  type Words,
} from '@tollgate/contract';

/** A section of the page: its title and the settings it shows. */
export interface Section {
  /** Its anchor in the page. */
  id: string;
  tab: SettingTab;
  title: Words;
  keys: SettingKey[];
}

/** Settings kept for other programs have no field; a section of such alone is left out. */
export const sections: readonly Section[] = settingGroups
  .map((group, index) => ({
    id: `section-${index}`,
    tab: group.tab,
    title: group.title,
    keys: (Object.keys(group.settings) as SettingKey[]).filter((key) => !declarationOf(key).unused),
  }))
  .filter((section) => section.keys.length > 0);

/** The sections that have a setting whose name, label or help holds the words; only those settings are kept. */
export function searchSections(words: string): Section[] {
  const wanted = words.trim().toLowerCase();
  const matches = (key: SettingKey, title: Words) => {
    const { label, help } = declarationOf(key);
    return [key, label.zh, label.en, help.zh, help.en, title.zh, title.en].some((text) =>
      text.toLowerCase().includes(wanted),
    );
  };
  return sections
    .map((section) => ({ ...section, keys: section.keys.filter((key) => matches(key, section.title)) }))
    .filter((section) => section.keys.length > 0);
}
