//! Visitors and forms with restricted access: types that cannot exist for anyone else.

/// Implements such a type as a wrapper around an unrestricted one.
/// The visitor must pass `$check` before there is a value.
macro_rules! restricted {
    ($($name:ident is $inner:ident of $audience:ident, by $check:ident;)*) => {$(
        impl std::ops::Deref for $name {
            type Target = $inner;

            fn deref(&self) -> &$inner {
                &self.0
            }
        }

        impl web_conventions::operations::Caller for $name {
            const ACCESS: web_conventions::operations::Access =
                web_conventions::operations::Access::Page(
                    web_conventions::operations::PageAudience::$audience,
                );
        }

        impl actix_web::FromRequest for $name {
            type Error = $crate::frame::page::failure::PageFailure;
            type Future = futures_util::future::LocalBoxFuture<'static, Result<Self, Self::Error>>;

            fn from_request(
                request: &actix_web::HttpRequest,
                payload: &mut actix_web::dev::Payload,
            ) -> Self::Future {
                let sent = $inner::from_request(request, payload);
                let request = request.clone();
                Box::pin(async move {
                    let sent = sent.await?;
                    sent.visitor().$check(&request)?;
                    Ok(Self(sent))
                })
            }
        }
    )*};
}

pub(super) use restricted;
