import {
  declarationOf,
  isShownSetting,
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

/** Settings without an effect have no field; a section with only such settings is left out. */
export const sections: readonly Section[] = settingGroups
  .map((group, index) => ({
    id: `section-${index}`,
    tab: group.tab,
    title: group.title,
    keys: (Object.keys(group.settings) as SettingKey[]).filter(isShownSetting),
  }))
  .filter((section) => section.keys.length > 0);

/** `PasswordLoginEnabled` → `Password Login Enabled`. */
const spacedName = (key: string) => key.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[._-]/g, ' ');

/** Match quality of a text for one word: whole word, prefix, substring (as in Chinese), or none. */
function scoreOf(text: string, word: string): number {
  if (!text.includes(word)) return 0;
  const words = text.split(/[^\p{L}\p{N}]+/u);
  if (words.some((each) => each === word || each === `${word}s`)) return 3;
  return words.some((each) => each.startsWith(word)) ? 2 : 1;
}

/**
 * The sections with a setting that matches every word in its name, label, help or section. If some settings match whole
 * words, settings that only match parts are left out: "log" is not "log-in".
 */
export function searchSections(words: string): Section[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const score = (key: SettingKey, title: Words) => {
    const { label, help } = declarationOf(key);
    const text = [key, spacedName(key), label.zh, label.en, help.zh, help.en, title.zh, title.en]
      .join(' \n ')
      .toLowerCase();
    return Math.min(...wanted.map((word) => scoreOf(text, word)));
  };
  const found = sections.flatMap(({ id, title, keys }) =>
    keys.map((key) => ({ id, key, score: score(key, title) })),
  );
  const best = Math.max(...found.map((each) => each.score));
  const enough = best === 3 ? 3 : 1;
  const shown = new Set(found.filter((each) => each.score >= enough).map(({ key }) => key));
  return sections
    .map((section) => ({ ...section, keys: section.keys.filter((key) => shown.has(key)) }))
    .filter((section) => section.keys.length > 0);
}
