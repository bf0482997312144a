import type { Generated } from 'kysely';

/** Settings that differ from their defaults, as text. Secret ones are encrypted. */
export interface OptionTable {
  key: string;
  value: string;
}

/** One row once the site was set up. */
export interface SetupTable {
  id: Generated<number>;
  version: string;
  initialized_at: number;
}

/** Changes for other processes on the same database: each polls and reloads changed parts. */
export interface ChangeMarkTable {
  /** options, channels, token:17, user:3 … */
  name: string;
  version: number;
}

/**
 * Actions and attempts of people: sign-ins, actions of administrators, read keys, money moved by hand. Append-only:
 * triggers refuse every change, and the deletion of rows younger than 30 days.
 */
export interface AuditTable {
  id: Generated<number>;
  /** Unix seconds. */
  at: number;
  /** One of the contract's `auditKinds`. */
  kind: string;
  /** '' for success; otherwise the error code. */
  outcome: string;
  /** The actor; 0 for a guest or Tollgate itself. */
  actor_id: number;
  /** The actor's name at that time; '' for none. */
  actor_name: string;
  /** The account that it concerns; 0 for none. */
  user_id: number;
  /** Type of its object: user, token, channel, redemption, setting; '' for none. */
  target_type: string;
  target_id: string;
  /** Name of the target at that time. */
  target_name: string;
  /** Method of authentication of the actor: session, access-token, password, passkey, a provider's id. */
  method: string;
  ip: string;
  user_agent: string;
  request_id: string;
  /** JSON text: `changes` (before and after of each changed field, secrets masked) and further details. */
  detail: string;
}

/** Number of sent notices within a window, for all processes of a site together. */
export interface NoticeCountTable {
  /** Name of the counter: user and kind of notice. */
  name: string;
  /** Unix ms at which the window began. */
  since: number;
  count: number;
}

/** Alarms for operators, stored until they end and both messages are delivered. */
export interface AlarmTable {
  /** One of the contract's `alarmCauses`. */
  cause: string;
  /** Subject: the id of a channel or budget; '' for the site. */
  subject: string;
  /** Name of the subject. */
  name: string;
  /** Detail: a figure, a reason. */
  detail: string;
  /** Unix seconds; `ended` is 0 while it runs. */
  since: number;
  ended: number;
}

/** Delivery of an alarm by one way, created with the alarm. */
export interface AlarmDeliveryTable {
  cause: string;
  subject: string;
  /** `mail`, or the id of a place. */
  way: string;
  /** Delivered messages: 0 none, 1 the begin, 2 the end. */
  told: number;
  tries: number;
  /** Unix seconds of the next attempt. */
  due: number;
}

/** A service that alarms are posted to. */
export interface AlarmPlaceTable {
  id: Generated<number>;
  /** One of the contract's `alarmServices`. */
  service: string;
  name: string;
  /** Address, secret and chat as JSON, sealed. */
  place_sealed: string;
}

/** Keys that remain when the master key they were made with is replaced, sealed. */
export interface KeptKeyTable {
  name: string;
  key_sealed: string;
}
