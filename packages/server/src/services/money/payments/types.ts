import type { Page, TopUpData, UserTopUp } from '@tollgate/contract';
import type { topUps } from '../../../store/index.ts';
import type { AskedInvoice, ReadInvoice } from './invoices.ts';

/** The name of this payment provider in orders and in the ledger's transaction names. */
export const epayProvider = 'epay';

/** A stored order. */
export type TopUpRow = topUps.TopUpRow;

/** The buyer. */
export interface Buyer {
  id: number;
  group: string;
  /** The team that gets the amount; absent for the buyer's own wallet. */
  team?: { id: number; accountId: number };
}

/** A started payment: the form that the buyer's browser posts. */
export interface StartedPayment {
  url: string;
  fields: Record<string, string>;
}

/** Result of a reported payment: credited now, credited before, or refused with the reason. */
export type Credit = { done: true; now: boolean } | { done: false; reason: string };

/** Online top-up by an epay provider, and codes (docs/compatibility.md#online-top-up). */
export interface Payments {
  /** The price of an amount, with two decimals. Throws AppError (docs/compatibility.md#online-top-up). */
  quote(buyer: Buyer, amount: number): string;
  /** Stores an order and returns the form that pays it. Throws AppError. */
  start(buyer: Buyer, amount: number, method: string): Promise<StartedPayment>;
  /**
   * A provider's callback with its fields as received. Credits the order once, however often it arrives. Rejects if
   * the database fails; the provider must then repeat it.
   */
  notify(fields: unknown): Promise<Credit>;
  /** The price of an amount at Stripe, with two decimals. Throws AppError. */
  quoteStripe(buyer: Buyer, amount: number): string;
  /** Stores an order and returns the address of Stripe's page for it. Throws AppError. */
  startStripe(buyer: Buyer, amount: number): Promise<string>;
  /** A webhook of Stripe with its body as received; null if its signature is wrong. Rejects like `notify`. */
  notifyStripe(text: string, signature: string): Promise<Credit | null>;
  /** A user's orders, newest first; pages count from 1. */
  orders(userId: number, page: { page: number; pageSize: number }): Promise<Page<TopUpData>>;
  /** Orders of all users, newest first; pages count from 1. */
  allOrders(filter: topUps.TopUpFilter, page: { page: number; pageSize: number }): Promise<Page<UserTopUp>>;
  /** An invoice or a credit note. Throws AppError. */
  invoice(asked: AskedInvoice): Promise<ReadInvoice>;
  /**
   * Credits an order that an administrator confirms, once, however often it is completed or reported. Throws AppError.
   */
  complete(tradeNo: string): Promise<void>;
  /**
   * Takes back what is left of a credited order. Returns the quota that was taken, and its share of the price. Throws
   * AppError.
   */
  refund(
    actor: { id: number },
    input: { tradeNo: string; reason: string },
  ): Promise<{ quota: number; money: number }>;
  /** Queries orders with a possibly lost callback; credits or closes them. */
  askPending(): Promise<void>;
  /** Redeems a code and returns the quota gained. Throws AppError; wrong codes count against the account's guesses. */
  redeem(buyer: Omit<Buyer, 'group'>, key: string): Promise<number>;
}
