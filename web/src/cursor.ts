// One time line for all plots over time and the animation: who moves it tells, the others follow.

type Follower = (time: number | null, source: unknown) => void;
const followers = new Set<Follower>();

export function on_cursor(follower: Follower): () => void {
  followers.add(follower);
  return () => followers.delete(follower);
}

export function move_cursor(time: number | null, source: unknown): void {
  for (const follower of followers) follower(time, source);
}
