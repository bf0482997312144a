import { personalPrefix } from '../../../lib/storage.ts';
import { asJson, storedValue, type StoredValue } from '../../../lib/stored-value.ts';
import { settled, dropOldImages } from './conversation.ts';
import type { Answer, Message, Question, Settings } from '../base/types.ts';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isQuestion = (value: Record<string, unknown>): boolean =>
  value.role === 'user' && typeof value.content === 'string' && Array.isArray(value.images);

const isAnswer = (value: Record<string, unknown>): boolean =>
  value.role === 'assistant' &&
  typeof value.content === 'string' &&
  typeof value.reasoning === 'string' &&
  typeof value.model === 'string';

const isMessage = (value: unknown): value is Question | Answer =>
  isObject(value) &&
  typeof value.id === 'number' &&
  (value.role === 'divider' || isQuestion(value) || isAnswer(value));

const isConversation = (value: unknown): value is readonly Message[] =>
  Array.isArray(value) && value.every(isMessage);

const isSettings = (value: unknown): value is Settings =>
  isObject(value) &&
  typeof value.model === 'string' &&
  typeof value.group === 'string' &&
  typeof value.temperature === 'number' &&
  typeof value.maxTokens === 'number' &&
  (value.system === null || typeof value.system === 'string');

const defaultSettings: Settings = {
  model: '',
  group: '',
  temperature: 0,
  maxTokens: 0,
  system: null,
};

const settingsStores = new Map<number, StoredValue<Settings>>();

/** The user's choices in the side panel, stored on this device. */
export function settingsOf(userId: number): StoredValue<Settings> {
  const known =
    settingsStores.get(userId) ??
    storedValue(`${personalPrefix}playground-settings-${userId}`, defaultSettings, asJson(isSettings));
  settingsStores.set(userId, known);
  return known;
}

/** Maximum number of image characters that are stored: browsers give a site about five million in all. */
const imageRoom = 3_000_000;

const keyOf = (userId: number) => `${personalPrefix}playground-chat-${userId}`;

/** The stored conversation of a user; empty if there is none or if it is unreadable. */
export function readConversation(userId: number): readonly Message[] {
  try {
    const value: unknown = JSON.parse(window.localStorage.getItem(keyOf(userId)) ?? '[]');
    return isConversation(value) ? settled(value) : [];
  } catch {
    return [];
  }
}

/** Stores a conversation for the next visit. If storage is full or private, it stays only in memory. */
export function keepConversation(userId: number, messages: readonly Message[]): void {
  try {
    if (messages.length === 0) window.localStorage.removeItem(keyOf(userId));
    else window.localStorage.setItem(keyOf(userId), JSON.stringify(dropOldImages(messages, imageRoom)));
  } catch {
    // No action needed: the conversation on the screen is complete.
  }
}
