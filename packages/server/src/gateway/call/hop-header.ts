import { product } from '@tollgate/contract';

/** Header of calls that Tollgate makes. A request that has it comes from a channel whose address is Tollgate itself. */
export const hopHeader = product.headers.hop;
