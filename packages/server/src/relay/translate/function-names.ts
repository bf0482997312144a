import type { ChatRequest, Message, Part } from '../types/index.ts';
import { sha256 } from '../../lib/hash.ts';

/** The longest name that all vendors accept. */
const maxName = 64;
const markLength = 8;

/** The vendor's and the caller's names of functions. */
export type FunctionNames = ReadonlyMap<string, string>;

/**
 * Renames functions that do not match the vendor's `pattern`; `names` has the changed names, to restore the caller's in
 * the answer.
 */
export function withTakenNames(
  request: ChatRequest,
  pattern: RegExp | undefined,
): { request: ChatRequest; names: FunctionNames | undefined } {
  const odd = new Set(pattern && namesIn(request).filter((name) => !pattern.test(name)));
  if (odd.size === 0) return { request, names: undefined };
  const taken = new Map([...odd].map((name) => [name, takenName(name)]));
  const rename = (name: string): string => taken.get(name) ?? name;
  const { toolChoice } = request;
  return {
    request: {
      ...request,
      messages: request.messages.map((message) => renamed(message, rename)),
      tools: request.tools.map((tool) =>
        tool.type === 'function' ? { ...tool, name: rename(tool.name) } : tool,
      ),
      toolChoice: toolChoice?.type === 'tool' ? { ...toolChoice, name: rename(toolChoice.name) } : toolChoice,
    },
    names: new Map([...taken].map(([name, plain]) => [plain, name])),
  };
}

const namesIn = ({ tools, messages }: ChatRequest): string[] => [
  ...tools.flatMap((tool) => (tool.type === 'function' ? [tool.name] : [])),
  ...messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'tool-call' ? [part.name] : []))),
];

/** Always the same for a name, and different for every other name. */
const takenName = (name: string): string =>
  `f_${name.replace(/\W/g, '_').slice(0, maxName - markLength - 3)}_${sha256(name).slice(0, markLength)}`;

function renamed(message: Message, rename: (name: string) => string): Message {
  const parts = message.parts.map((part): Part => {
    if (part.type === 'tool-call') return { ...part, name: rename(part.name) };
    return part.type === 'tool-result' && part.name !== undefined
      ? { ...part, name: rename(part.name) }
      : part;
  });
  return { ...message, parts };
}
