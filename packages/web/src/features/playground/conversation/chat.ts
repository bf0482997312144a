import { onSessionEnd } from '../../../lib/session.ts';
import { createStore, type Store } from '../../../lib/store.ts';
import { before, changeAnswer, inContext, nextId, toSend } from './conversation.ts';
import { keepConversation, readConversation, settingsOf } from './keep.ts';
import { findCost, runAnswer, type Request } from './run-answer.ts';
import type { Answer, Exchange, Message } from '../base/types.ts';

/** The options of a request. */
export interface Choice {
  model: string;
  group: string;
  temperature: number;
  maxTokens: number;
  system: string;
}

export interface Chat {
  messages: Store<readonly Message[]>;
  /** The running answer; null for none. */
  running: Store<number | null>;
  exchangeOf: (id: number) => Exchange | undefined;
  /** Sends a question; with `from` it replaces that question and everything after it. */
  send: (content: string, images: readonly string[], choice: Choice, from?: number) => void;
  /** Requests an answer again; the old one and everything after it are dropped. */
  regenerate: (id: number, choice: Choice) => void;
  stop: () => void;
  /** Clears the context: the messages above are no longer sent. */
  clearContext: () => void;
  /** Deletes the conversation. */
  startOver: () => void;
}

const chats = new Map<number, Chat>();

/** A user's conversation: it continues while other pages are open, and ends with the session. */
export function chatOf(userId: number): Chat {
  const known = chats.get(userId) ?? createChat(userId);
  chats.set(userId, known);
  return known;
}

onSessionEnd((reason) => {
  for (const [userId, chat] of chats) {
    chat.stop();
    if (reason === 'logout') settingsOf(userId).set(undefined);
  }
  chats.clear();
});

// An unfinished answer is stored as far as it arrived when the page is closed.
window.addEventListener('pagehide', () => {
  for (const [userId, chat] of chats) keepConversation(userId, chat.messages.get());
});

/** Storage for answers that are arriving. */
interface ChatSink {
  messages: Chat['messages'];
  exchanges: Map<number, Exchange>;
  /** Stores the conversation for the next visit. */
  keep: () => void;
}

/** Requests one answer at a time and stores it as it arrives; its cost comes last. */
function createAsker({ messages, exchanges, keep }: ChatSink) {
  const running = createStore<number | null>(null);
  let controller: AbortController | null = null;
  const update = (id: number, change: Partial<Answer>) =>
    messages.set(changeAnswer(messages.get(), id, change));

  const addCost = async (id: number) => {
    const answer = messages.get().find((message) => message.id === id);
    // A refusal before the first event costs nothing and leaves no receipt.
    if (answer?.role !== 'assistant' || answer.requestId === null || refused(answer)) return;
    const found = await findCost(answer.requestId);
    if (!found) return;
    update(id, found);
    keep();
  };
  const ask = async (history: readonly Message[], choice: Choice) => {
    const id = nextId([...messages.get(), ...history]);
    const request = requestOf(history, choice);
    const events: string[] = [];
    exchanges.set(id, { request, events });
    messages.set([...history, newAnswer(id, choice)]);
    const own = new AbortController();
    controller = own;
    running.set(id);
    keep();
    await runAnswer({
      request,
      signal: own.signal,
      onChange: (change) => update(id, change),
      onData: (data) => events.push(data),
    });
    if (controller === own) {
      controller = null;
      running.set(null);
    }
    keep();
    await addCost(id);
  };
  return { running, ask, isBusy: () => controller !== null, stop: () => controller?.abort() };
}

function createChat(userId: number): Chat {
  const messages = createStore(readConversation(userId));
  const exchanges = new Map<number, Exchange>();
  const keep = () => {
    // After the end of the session, this browser must not store the conversation.
    if (chats.get(userId) === chat) keepConversation(userId, messages.get());
  };
  const { running, ask, isBusy, stop } = createAsker({ messages, exchanges, keep });

  const chat: Chat = {
    messages,
    running,
    exchangeOf: (id) => exchanges.get(id),
    send: (content, images, choice, from) => {
      if (isBusy()) return;
      const history = from === undefined ? messages.get() : before(messages.get(), from);
      const id = nextId(messages.get());
      const question = { id, createAt: Date.now(), role: 'user' as const, content, images, lostImages: 0 };
      void ask([...history, question], choice);
    },
    regenerate: (id, choice) => {
      if (!isBusy()) void ask(before(messages.get(), id), choice);
    },
    stop,
    clearContext: () => {
      if (isBusy() || inContext(messages.get()).length === 0) return;
      const id = nextId(messages.get());
      messages.set([...messages.get(), { id, createAt: Date.now(), role: 'divider' }]);
      keep();
    },
    startOver: () => {
      stop();
      messages.set([]);
      exchanges.clear();
      keep();
    },
  };
  return chat;
}

const refused = ({ status, problem }: Answer) =>
  status === 'error' && problem?.status !== 200 && problem?.status !== 0;

function requestOf(history: readonly Message[], choice: Choice): Request {
  return {
    model: choice.model,
    group: choice.group,
    messages: toSend(history, choice.system),
    // Zero means the model's default: vendors refuse a limit of 0, and some models refuse any temperature.
    ...(choice.temperature > 0 && { temperature: choice.temperature }),
    ...(choice.maxTokens > 0 && { max_tokens: Math.floor(choice.maxTokens) }),
  };
}

const newAnswer = (id: number, { model, group }: Choice): Answer => ({
  id,
  createAt: Date.now(),
  role: 'assistant',
  content: '',
  reasoning: '',
  status: 'loading',
  stopped: false,
  model,
  group,
  requestId: null,
  usage: null,
  firstTokenMs: null,
  thoughtMs: null,
  totalMs: null,
  finish: null,
  cost: null,
  problem: null,
});
