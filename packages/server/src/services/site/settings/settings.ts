import {
  isHiddenKey,
  isSettingKey,
  type OptionData,
  type PublicSettings,
  type SettingKey,
  settingKeys,
  type SettingValue,
} from '@tollgate/contract';
import { checkRequirements, freshSecretMs, orphanedSecrets, tidyText } from './checks.ts';
import {
  changedKeys,
  defaultsDiffer,
  formatDefault,
  initialState,
  isSealedKey,
  readPublic,
  readRows,
  type State,
  textOf,
  toRow,
  withDefaultsOf,
  withTexts,
} from './state.ts';
import type { Settings, SettingsDeps, SettingsListener } from './types.ts';

/** Reads all options and keeps them in memory. Rejects if the table cannot be read. */
export async function createSettings(deps: SettingsDeps): Promise<Settings> {
  const settings = new LiveSettings(deps);
  await settings.reload();
  return settings;
}

class LiveSettings implements Settings {
  private readonly deps: SettingsDeps;
  private readonly listeners = new Set<SettingsListener>();
  /** Time of the last entry of a secret, Unix ms. */
  private readonly typedAt = new Map<string, number>();
  private state: State;
  private status: PublicSettings | undefined;
  /** Saves and reloads run one after another, so that each sees the result of the previous one. */
  private queue: Promise<unknown> = Promise.resolve();

  constructor(deps: SettingsDeps) {
    this.deps = deps;
    this.state = initialState(deps.overruled ?? new Set(), deps.clock());
  }

  get<Key extends SettingKey>(key: Key): SettingValue<Key> {
    return this.state.values[key] as SettingValue<Key>;
  }

  set(key: string, text: string): Promise<void> {
    return this.setMany({ [key]: text });
  }

  setMany(texts: Readonly<Record<string, string>>): Promise<void> {
    return this.inTurn(() => this.save(Object.entries(texts)));
  }

  change(make: () => Readonly<Record<string, string>>): Promise<void> {
    return this.inTurn(async () => {
      await this.readAgain();
      const entries = Object.entries(make());
      if (entries.length > 0) await this.save(entries);
    });
  }

  reset(key: SettingKey): Promise<void> {
    return this.set(key, formatDefault(key, this.deps.clock()));
  }

  async renew(): Promise<void> {
    if (!defaultsDiffer(this.state.at, this.deps.clock())) return;
    await this.inTurn(() => {
      this.apply(withDefaultsOf(this.deps.clock(), this.state));
      return Promise.resolve();
    });
  }

  reload(): Promise<void> {
    return this.inTurn(() => this.readAgain());
  }

  private async readAgain(): Promise<void> {
    const rows = await this.deps.options.all();
    this.apply(readRows(rows, this.state, this.deps.clock(), this.deps));
  }

  onChange(listener: SettingsListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  list(): OptionData[] {
    const unknown = [...this.state.texts.keys()].filter((key) => !isSettingKey(key)).toSorted();
    return [...settingKeys, ...unknown]
      .filter((key) => !isHiddenKey(key))
      .map((key) => ({ key, value: textOf(this.state, key) }));
  }

  secretsSet(): string[] {
    return [...this.state.texts]
      .filter(([key, text]) => isHiddenKey(key) && text !== '')
      .map(([key]) => key)
      .toSorted();
  }

  publicStatus(): PublicSettings {
    this.status ??= readPublic(this.state);
    return this.status;
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.queue.then(work);
    this.queue = turn.catch(() => undefined);
    return turn;
  }

  private async save(entries: readonly (readonly [string, string])[]): Promise<void> {
    const texts = new Map<string, string>();
    for (const [key, text] of entries) texts.set(key, await tidyText(key, text));
    const orphans = orphanedSecrets(texts, this.state, (key) => this.isFresh(key));
    for (const key of orphans) texts.set(key, '');
    const next = withTexts(this.state, texts);
    checkRequirements(texts.keys(), next);
    const rows = [...texts].map(([key, text]) => toRow(this.deps.sealer, key, text));
    const changes = [...texts.keys()].map((key) => ({
      key,
      before: textOf(this.state, key),
      after: textOf(next, key),
    }));
    await this.deps.options.put(rows, changes);
    for (const key of texts.keys()) if (isSealedKey(key)) this.typedAt.set(key, this.deps.clock());
    if (orphans.length > 0) {
      this.deps.log.warn(
        { options: orphans },
        'an address moved; the secrets typed for the old one were emptied',
      );
    }
    this.apply(next);
  }

  private isFresh(key: string): boolean {
    const at = this.typedAt.get(key);
    return at !== undefined && Math.abs(this.deps.clock() - at) <= freshSecretMs;
  }

  private apply(next: State): void {
    const changed = changedKeys(this.state, next);
    this.state = next;
    this.status = undefined;
    if (changed.size === 0) return;
    this.deps.log.info({ options: [...changed] }, 'options changed');
    for (const listener of this.listeners) {
      try {
        listener(changed);
      } catch (error) {
        this.deps.log.error({ reason: String(error) }, 'a listener to option changes failed');
      }
    }
  }
}

/** The language for people who name none (option DefaultLanguage); undefined if it is automatic. */
export function siteLanguage(settings: Pick<Settings, 'get'>): 'zh' | 'en' | undefined {
  const chosen = settings.get('DefaultLanguage');
  return chosen === 'auto' ? undefined : chosen;
}
