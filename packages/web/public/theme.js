// Sets theme and language on <html> before the first paint. The keys are those of src/lib/storage.ts.
{
  const root = document.documentElement;
  const read = (key) => {
    try {
      return window.localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  const mode = read('theme-mode');
  const prefersDark = window.matchMedia('(prefers-color-scheme: dark)').matches;
  const dark = mode === 'dark' || (mode !== 'light' && prefersDark);
  root.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
  // As `firstLanguage` of src/lib/language.ts, once nothing is chosen.
  const tags = [...navigator.languages].map((tag) => tag.slice(0, 2).toLowerCase());
  const first = tags.find((tag) => tag === 'zh' || tag === 'en') || (tags.length === 0 ? 'zh' : 'en');
  root.lang = (read('i18nextLng') || first).startsWith('en') ? 'en-US' : 'zh-CN';
}
