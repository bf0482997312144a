import type * as z from 'zod/mini';
import type { Words } from '../errors.ts';
import { readFault } from '../input-words.ts';
import { settingError, type SettingErrorCode } from './setting-error.ts';
import type { Setting, SettingGroup, SettingKind, SettingSpec, SettingTab } from './types.ts';

/** Maximum length of a one-line field, and of any setting, in characters. */
const maxTextLength = 4_096;
export const maxSettingLength = 1_048_576;

type Spec<Value> = SettingSpec & { default: Value; defaultAt?: (time: number) => Value };

/** Declares one section of the settings page. The settings keep their types, so that `get` returns the right one. */
export const group = <Settings extends Record<string, unknown>>(
  tab: SettingTab,
  title: Words,
  settings: Settings,
): SettingGroup<Settings> => ({ tab, title, settings });

/** A setting whose stored text is always the formatted value. */
function plain<Value>(
  kind: SettingKind,
  spec: Spec<Value>,
  text: { parse(text: string, key: string): Value; format(value: Value): string },
): Setting<Value> {
  return { ...spec, kind, secret: false, ...text, tidy: (raw, key) => text.format(text.parse(raw, key)) };
}

const tooLong = (text: string, key: string, max: number): void => {
  if (text.length > max) throw settingError('setting_too_long', { key, max });
};

/** A switch: `true` or `false`. */
export const toggle = (spec: Spec<boolean>): Setting<boolean> =>
  plain('toggle', spec, {
    parse(text, key) {
      if (text !== 'true' && text !== 'false') throw settingError('setting_not_boolean', { key });
      return text === 'true';
    },
    format: String,
  });

interface Bounds {
  min: number;
  max: number;
}

function checkBounds(value: number, key: string, { min, max }: Bounds): number {
  if (value < min || value > max) throw settingError('setting_out_of_range', { key, min, max });
  return value;
}

/** A whole number within bounds. */
export const integer = (spec: Spec<number> & Bounds): Setting<number> =>
  plain('integer', spec, {
    parse(text, key) {
      const value = Number(text);
      if (!/^\s*-?\d+\s*$/.test(text) || !Number.isSafeInteger(value)) {
        throw settingError('setting_not_integer', { key });
      }
      return checkBounds(value, key, spec);
    },
    format: String,
  });

/** A number within bounds. */
export const decimal = (spec: Spec<number> & Bounds): Setting<number> =>
  plain('decimal', spec, {
    parse(text, key) {
      if (!/^\s*-?\d+(\.\d+)?\s*$/.test(text)) throw settingError('setting_not_number', { key });
      return checkBounds(Number(text), key, spec);
    },
    format: String,
  });

/** One line of text. */
export const text = (spec: Spec<string> & { noTags?: true; max?: number }): Setting<string> =>
  plain('text', spec, {
    parse(raw, key) {
      tooLong(raw, key, spec.max ?? maxTextLength);
      const line = raw.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
      return spec.noTags ? line.replace(/[<>]+/g, '') : line;
    },
    format: (value) => value,
  });

/** An http or https address, or an empty text. A `base` loses its trailing slash, because paths are appended to it. */
export const url = (spec: Spec<string> & { base?: true }): Setting<string> =>
  plain('url', spec, {
    parse(raw, key) {
      tooLong(raw, key, maxTextLength);
      const value = raw.trim();
      if (value === '') return '';
      if (!/^https?:\/\/[^\s/?#]+\S*$/i.test(value)) throw settingError('setting_not_url', { key });
      return spec.base ? value.replace(/\/+$/, '') : value;
    },
    format: (value) => value,
  });

/** The code of a currency, in lower case (ISO 4217). */
export const currency = (spec: Spec<string>): Setting<string> =>
  plain('text', spec, {
    parse(raw, key) {
      const code = raw.trim().toLowerCase();
      if (!Intl.supportedValuesOf('currency').includes(code.toUpperCase()))
        throw settingError('setting_not_choice', { key, choices: 'usd, eur, gbp, hkd …' });
      return code;
    },
    format: (value) => value,
  });

/** An IANA time zone. */
export const timeZone = (spec: Spec<string>): Setting<string> =>
  plain('text', spec, {
    parse(raw, key) {
      const name = raw.trim();
      try {
        new Intl.DateTimeFormat('en', { timeZone: name || 'none' });
      } catch {
        throw settingError('setting_not_choice', { key, choices: 'UTC, Asia/Shanghai, Europe/Berlin …' });
      }
      return name;
    },
    format: (value) => value,
  });

/** Location of an image: an https address, the image itself as `data:image/…`, or an empty text. */
export const imageAddress = (spec: Spec<string>): Setting<string> =>
  plain('text', spec, {
    parse(raw, key) {
      tooLong(raw, key, maxSettingLength);
      const value = raw.trim();
      const isImage = value === '' || /^(?:https:\/\/[^\s/?#]+\S*|data:image\/[\w.+-]+[;,]\S*)$/i.test(value);
      if (!isImage) throw settingError('setting_not_image', { key });
      return value;
    },
    format: (value) => value,
  });

/** Multi-line text, such as notices and pages. The text is stored unchanged. */
export const longText = (spec: Spec<string>): Setting<string> =>
  plain('longText', spec, {
    parse(raw, key) {
      tooLong(raw, key, maxSettingLength);
      return raw;
    },
    format: (value) => value,
  });

/** A credential: encrypted in the database and absent from answers. Its default is always empty. */
export const secret = (spec: SettingSpec): Setting<string> => ({
  ...text({ ...spec, default: '' }),
  kind: 'secret',
  secret: true,
});

/** One of a fixed set of words. */
export const choice = <const Choice extends string>(
  spec: Spec<NoInfer<Choice>> & { choices: readonly Choice[] },
): Setting<Choice> =>
  plain<Choice>('choice', spec, {
    parse(raw, key) {
      const found = spec.choices.find((one) => one === raw.trim());
      if (found === undefined)
        throw settingError('setting_not_choice', { key, choices: spec.choices.join(', ') });
      return found;
    },
    format: (value) => value,
  });

type Items = readonly string[];

/** Texts in one line, separated by commas. `check` throws for an invalid item. */
export const list = (spec: Spec<Items> & { check?: (items: Items) => void }): Setting<Items> =>
  plain('list', spec, {
    parse(raw, key) {
      tooLong(raw, key, maxSettingLength);
      const items = raw
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '');
      spec.check?.(items);
      return items;
    },
    format: (items) => items.join(','),
  });

/** Texts, one per line. Empty lines do not count. `check` throws for an invalid one. */
export const lines = (spec: Spec<Items> & { check?: (items: Items, key: string) => void }): Setting<Items> =>
  plain('lines', spec, {
    parse(raw, key) {
      tooLong(raw, key, maxSettingLength);
      const items = raw
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
      spec.check?.(items, key);
      return items;
    },
    format: (items) => items.join('\n'),
  });

/**
 * JSON of a known shape. The stored text keeps its layout. `check` throws an AppError with its own message before the
 * general error about the shape. `checkSaved` has further rules for new values only. `notJson` is the error of a text
 * that is not JSON.
 */
export function json<Schema extends z.ZodMiniType>(
  spec: Spec<z.output<Schema>> & {
    schema: Schema;
    check?: (value: unknown) => void;
    checkSaved?: (value: z.output<Schema>, key: string) => void;
    notJson?: SettingErrorCode;
  },
): Setting<z.output<Schema>> {
  const parse = (raw: string, key: string): z.output<Schema> => {
    tooLong(raw, key, maxSettingLength);
    const value = parseJson(raw, spec.notJson ?? 'setting_not_json');
    spec.check?.(value);
    const checked = spec.schema.safeParse(value, { reportInput: true });
    if (checked.success) return checked.data;
    const [issue] = checked.error.issues;
    throw settingError('setting_malformed', { key, detail: issue ? readFault(issue, memberName).words : '' });
  };
  const { schema: _schema, check: _check, checkSaved, notJson: _notJson, ...common } = spec;
  return {
    ...common,
    kind: 'json',
    secret: false,
    parse,
    format: (value) => JSON.stringify(value, null, 2),
    tidy(raw, key) {
      const value = parse(raw, key);
      checkSaved?.(value, key);
      return raw.trim();
    },
  };
}

/** Error messages contain the original names of a setting's members. */
const memberName = (member: string): Words =>
  member === '' ? { zh: '整个内容', en: 'The whole' } : { zh: `“${member}”`, en: `“${member}”` };

function parseJson(raw: string, error: SettingErrorCode): unknown {
  try {
    return JSON.parse(raw) as unknown;
  } catch (cause) {
    throw settingError(error, {}, cause);
  }
}
