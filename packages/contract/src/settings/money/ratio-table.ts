import { z } from 'zod';

/** Model or group → ratio or price. Never negative; the bound is far above any price and keeps products exact. */
export const ratioTable: z.ZodType<Readonly<Record<string, number>>> = z.record(
  z.string().min(1).max(255),
  z.number().min(0).max(1_000_000_000),
);
