/** Where there is no value. It is no zero, and a screen reader says so. */
export const NO_VALUE = <span class="soft">no value</span>
