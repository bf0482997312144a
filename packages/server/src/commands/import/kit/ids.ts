/** New ids by source id. An id stays unchanged if it is free. */
export interface Ids {
  user(id: number): number;
  token(id: number): number;
  channel(id: number): number;
  redemption(id: number): number;
}

/** Ids in the target. */
export interface Taken {
  /** Root of the set-up; null without one. */
  root: { id: number; accountId: number; username: string } | null;
  /** The largest id of each table; 0 if it is empty. */
  last: { account: number; token: number; channel: number; redemption: number };
}

/**
 * Root of the source becomes root of the target if there is one. Another user with root's id gets a new id after all
 * others. In a table with rows, new ids continue after the existing ones.
 */
export function idsOf({ root, last }: Taken, users: readonly { id: number; role: number }[]): Ids {
  const sourceRoot = rootOf(users)?.id;
  const behind = users.reduce((most, { id }) => Math.max(most, id), root?.id ?? 0) + 1;
  return {
    user(id) {
      if (!root) return id;
      if (id === sourceRoot) return root.id;
      return id === root.id ? behind : id;
    },
    token: (id) => last.token + id,
    channel: (id) => last.channel + id,
    redemption: (id) => last.redemption + id,
  };
}

/** The first user with the highest role, if that is root. */
export const rootOf = <User extends { id: number; role: number }>(users: readonly User[]): User | undefined =>
  users.filter(({ role }) => role >= 100).toSorted((a, b) => a.id - b.id)[0];
