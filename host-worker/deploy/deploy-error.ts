/** Why a step cannot be done, and what to do about it. */
export class DeployError extends Error {
  override readonly name = 'DeployError'
  readonly advice: string

  constructor(reason: string, advice: string) {
    super(reason)
    this.advice = advice
  }
}
