/** Policies for the choice between channels of the same priority. */
export const routingPolicies = ['random', 'sticky', 'least_busy', 'fastest', 'cheapest'] as const;
export type RoutingPolicy = (typeof routingPolicies)[number];
