/** Header of calls that Tollgate itself makes; a second pass means that a channel points back at us. */
export const hopHeader = 'x-tollgate-hop';
