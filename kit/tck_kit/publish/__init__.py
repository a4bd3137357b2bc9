"""What is done with reports once they are written: rendered, compared, merged, judged again, put together to a site."""
