import type { Generated } from 'kysely';

/** An invitation into a team that is open; it is deleted when it is accepted, declined or withdrawn. */
export interface TeamInvitationTable {
  id: Generated<number>;
  team_id: number;
  /** SHA-256 of the code in the link, hex. */
  code_hash: string;
  /** User name or e-mail address as it was typed; '' for anyone who has the link. */
  invitee: string;
  /** The user of that name, who alone may accept; 0 where the code alone decides, or nobody bears the name. */
  invitee_id: number;
  /** The role it brings. */
  role: number;
  inviter_id: number;
  /** Unix seconds. */
  created_time: number;
  /** Unix seconds. */
  expires_time: number;
}
