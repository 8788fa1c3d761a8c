//! Which characters are shown as themselves.

/// Returns whether a character is visible as itself, and has no effect on its surroundings.
///
/// Every output shows the other characters of a name escaped: control characters, which can steer a terminal; line and
/// paragraph separators; controls of the writing direction; and whatever else is ignored when it is displayed
/// (`Default_Ignorable_Code_Point` of Unicode 16), so that two names which look equal are equal. Spaces other than
/// U+0020 count as invisible.
///
/// The list is written out, because the tables of the standard library change with its Unicode version, and the same
/// run must give the same bytes everywhere.
///
/// ```
/// assert!(jive_core::is_plain('é'));
/// assert!(!jive_core::is_plain('\u{202e}'));
/// ```
#[must_use]
pub const fn is_plain(character: char) -> bool {
    !matches!(
        character,
        '\0'..='\u{1f}'
            | '\u{7f}'..='\u{a0}'
            | '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{1680}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{2000}'..='\u{200f}'
            | '\u{2028}'..='\u{202f}'
            | '\u{205f}'..='\u{206f}'
            | '\u{3000}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}
