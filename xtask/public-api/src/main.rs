//! Prints the public API that a file of rustdoc's JSON describes. What follows from an item is left out: blanket
//! implementations, auto traits and derived traits.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args_os()
        .nth(1)
        .ok_or("name a file of rustdoc's JSON")?;
    let api = public_api::Builder::from_rustdoc_json(file)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()?;
    print!("{api}");
    Ok(())
}
