/** Header of calls that Tollgate makes. A request that has it comes from a channel whose address is Tollgate itself. */
export const hopHeader = 'x-tollgate-hop';
