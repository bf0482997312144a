import { alarms } from './alarms.ts';
import { answerCache, contentCapture, guardHooks } from './answers.ts';
import { chats } from './chats.ts';
import { company } from './login/company.ts';
import { claude } from './models/claude.ts';
import { dashboard, logs, sensitive } from './logs.ts';
import { discord, github, linuxdo, telegram, wechat } from './login/third-party.ts';
import { drawing } from './drawing.ts';
import { gemini } from './models/gemini.ts';
import { general } from './general.ts';
import { global } from './models/global.ts';
import { groups } from './money/groups.ts';
import { legacy, appearance, notice, updates } from './other.ts';
import { emailDomains, login, secondFactor, turnstile } from './login/login.ts';
import { mail } from './mail.ts';
import { monitoring } from './monitoring.ts';
import { oidc } from './login/oidc.ts';
import { invoices } from './money/invoices.ts';
import { payment, stripe } from './money/payment.ts';
import { priceSync } from './money/price-sync.ts';
import { pricing } from './money/pricing.ts';
import { quota } from './money/quota.ts';
import { ratelimit } from './ratelimit.ts';
import { routing, tagging } from './routing.ts';
import { site, worker } from './site.ts';
import type { Setting } from './types.ts';

export { maxSettingLength } from './define.ts';
export { contextTiers, serviceTiers } from '../models/term-schema.ts';
export type { SignInPolicy } from './login/company.ts';
export { settingTabs } from './types.ts';
export type { Requirement, Setting, SettingGroup, SettingKind, SettingTab } from './types.ts';

/** All sections of the settings page, in display order. Each file of this folder declares one or two. */
export const settingGroups = [
  general,
  drawing,
  sensitive,
  logs,
  contentCapture,
  dashboard,
  monitoring,
  quota,
  groups,
  pricing,
  priceSync,
  chats,
  ratelimit,
  routing,
  tagging,
  gemini,
  claude,
  global,
  answerCache,
  guardHooks,
  site,
  worker,
  payment,
  stripe,
  invoices,
  login,
  secondFactor,
  emailDomains,
  mail,
  alarms,
  oidc,
  company,
  github,
  linuxdo,
  discord,
  wechat,
  telegram,
  turnstile,
  legacy,
  notice,
  appearance,
  updates,
] as const;

type Merge<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** All declarations by key. */
export type SettingDeclarations = Merge<(typeof settingGroups)[number]['settings']>;
/** Option keys of docs/compatibility.md#options, and ours. */
export type SettingKey = keyof SettingDeclarations;
/** Return type of `settings.get(key)`. */
export type SettingValue<Key extends SettingKey> =
  SettingDeclarations[Key] extends Setting<infer Value> ? Value : never;
/** All values by key. */
export type SettingValues = { readonly [Key in SettingKey]: SettingValue<Key> };

export const settingDeclarations = Object.fromEntries(
  settingGroups.flatMap((section) => Object.entries(section.settings)),
) as SettingDeclarations;

/** All keys, in the order of the settings page. */
export const settingKeys = Object.keys(settingDeclarations) as SettingKey[];

/** True for a declared key. */
export const isSettingKey = (key: string): key is SettingKey => Object.hasOwn(settingDeclarations, key);

/** Declaration by a key known only at run time. Its values have an unknown type. */
export const declarationOf = (key: SettingKey): Setting<unknown> => settingDeclarations[key];

/** True for settings with an effect. The settings page shows only these. */
export const isShownSetting = (key: SettingKey): boolean => declarationOf(key).unused !== true;

/**
 * True for keys with values that never leave the server: declared secrets, and names like those of secrets
 * (docs/compatibility.md#options).
 */
export const isHiddenKey = (key: string): boolean =>
  (isSettingKey(key) && declarationOf(key).secret) || /(token|secret|key|password)$/i.test(key);
