import type { Plugin } from 'vite';

/** Texts of errors that no check of a setting answers (`SettingErrorCode` in the contract). */
const otherErrors = /\/packages\/contract\/src\/(?:errors-accounts|refusals\/[\w-]+)\.ts$/;

/**
 * The server says what was wrong with a call, in words. The console only knows such words for the settings, whose values it
 * checks as they are typed; it takes them from the table of all errors, most of which stay out of the build.
 */
export const withoutErrorTexts = (): Plugin => ({
  name: 'console:without-error-texts',
  apply: 'build',
  enforce: 'pre',
  transform: (code, id) => {
    if (!otherErrors.test(id)) return null;
    const lines = [...code.matchAll(/^export const (\w+)/gm)].map(([, name]) => `export const ${name} = {};`);
    return { code: lines.join('\n'), map: null };
  },
});
